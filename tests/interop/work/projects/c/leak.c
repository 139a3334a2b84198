/* A leak and an overflow, which sanitizers find. */
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    volatile int big = 2147483647;
    char *text = malloc(8);
    strcpy(text, "1234567");
    if (argc > 1)
        return text[atoi(argv[1])];
    text = NULL;
    return (big + 1) * 0;
}
