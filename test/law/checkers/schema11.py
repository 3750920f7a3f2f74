"""Validates a SAF-T (PT) file against AT's own schema, which is XSD 1.1: its asserts, keys and `xs:all` included.

Usage: schema11.py SCHEMA FILE. Prints one line for each error. Needs xmlschema (Debian's python3-xmlschema).
"""

import sys

import xmlschema

schema = xmlschema.XMLSchema11(sys.argv[1])
for error in schema.iter_errors(sys.argv[2]):
    print(f"{error.path}: {error.reason}")
