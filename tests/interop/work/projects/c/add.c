/* A library of two functions. */
#include "add.h"

int add(int a, int b) { return a + b; }

int many(int a)
{
    int sum = 0;
    for (int at = 0; at < a; at++)
        sum = add(sum, at);
    return sum;
}
