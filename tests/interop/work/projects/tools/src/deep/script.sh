#!/bin/sh
echo "script ran with $#"
