#!/usr/bin/env python3
"""Puts a policy that reads and writes lines on a TCP port: listen.py HOST:PORT PROGRAM [ARGUMENT...]

Each connection gets a process of its own. An empty HOST means every address of this machine.
"""
import socket
import subprocess
import sys

if len(sys.argv) < 3 or not sys.argv[1].rpartition(":")[2].isdecimal():
    sys.exit(__doc__.splitlines()[0])
host, _, port = sys.argv[1].rpartition(":")
with socket.create_server((host, int(port))) as server:
    while True:
        connection, _ = server.accept()
        with connection:  # the process has its own copy, and sees the end when the other side hangs up
            subprocess.Popen(sys.argv[2:], stdin=connection, stdout=connection)
