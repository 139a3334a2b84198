"""Adds numbers."""

import sys


def total(numbers):
    return sum(numbers)


def main():
    print(total(map(int, sys.argv[1:])))
