// Uses the library, threads, exceptions and files.
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "add.h"

int main(int argc, char **argv)
{
    std::atomic<int> sum = 0;
    std::vector<std::thread> threads;
    for (int at = 0; at < 4; at++)
        threads.emplace_back([&sum, at] { sum += many(at * 100); });
    for (auto &thread : threads)
        thread.join();
    std::ofstream("sum.txt") << sum << "\n";
    std::filesystem::rename("sum.txt", "sum.out");
    try {
        if (argc > 1)
            throw std::runtime_error(argv[1]);
    } catch (const std::runtime_error &error) {
        std::cerr << "caught " << error.what() << "\n";
        return 4;
    }
    std::cout << "sum " << sum << "\n";
}
