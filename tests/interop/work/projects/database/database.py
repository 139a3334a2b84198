"""What programs do with SQLite: WAL, transactions, writers in two processes, a backup, a vacuum."""

import os
import sqlite3
import subprocess
import sys

WRITER = """
import sqlite3, sys
connection = sqlite3.connect("data.db", timeout=600, isolation_level=None)
for number in range(50):
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("INSERT INTO entry (writer, number) VALUES (?, ?)", (sys.argv[1], number))
    connection.execute("COMMIT")
"""


def one(connection, text):
    return connection.execute(text).fetchone()


connection = sqlite3.connect("data.db", isolation_level=None)
print(one(connection, "PRAGMA journal_mode = WAL"))
connection.execute("CREATE TABLE entry (id INTEGER PRIMARY KEY, writer TEXT, number INTEGER, text TEXT)")
writers = [subprocess.Popen([sys.executable, "-c", WRITER, name]) for name in ("a", "b")]
print([writer.wait() for writer in writers])
print(connection.execute("SELECT writer, count(*), sum(number) FROM entry GROUP BY writer ORDER BY writer").fetchall())
print(sorted(name for name in os.listdir() if name.startswith("data.db")))

connection.execute("BEGIN")
connection.execute("DELETE FROM entry")
connection.execute("SAVEPOINT inner")
connection.execute("ROLLBACK")
print(one(connection, "SELECT count(*) FROM entry"))
connection.executemany("INSERT INTO entry (writer, number, text) VALUES ('bulk', ?, ?)", ((number, "x" * 500) for number in range(2000)))
connection.execute("CREATE INDEX by_writer ON entry (writer)")
connection.execute("DELETE FROM entry WHERE writer = 'bulk' AND number % 2")
print(one(connection, "PRAGMA wal_checkpoint(TRUNCATE)"))
before = os.path.getsize("data.db")
connection.execute("VACUUM")
print(os.path.getsize("data.db") < before, one(connection, "PRAGMA integrity_check"))

# A temporary table on disk, a mapped file, another journal.
connection.execute("PRAGMA temp_store = FILE")
connection.execute("PRAGMA cache_size = 10")
connection.execute("PRAGMA mmap_size = 10000000")
connection.execute("CREATE TEMP TABLE sorted AS SELECT * FROM entry ORDER BY text, number DESC")
print(one(connection, "SELECT count(*), max(number) FROM sorted"))
with sqlite3.connect("copy.db") as copy:
    connection.backup(copy)
connection.close()
copy.close()
connection = sqlite3.connect("data.db")
print(one(connection, "PRAGMA journal_mode = DELETE"), sorted(name for name in os.listdir() if name.endswith(("-wal", "-shm", "-journal"))))
try:
    connection.execute("INSERT INTO entry (id) VALUES (1), (1)")
except sqlite3.IntegrityError as error:
    print(error)
connection.execute("ATTACH 'other.db' AS other")
connection.execute("CREATE TABLE other.entry AS SELECT writer, number FROM entry")
connection.commit()
connection.close()
