# SPDX-License-Identifier: LGPL-3.0-or-later
"""The stubs: the fields of records, mypy on a typed program, and the module itself by mypy's stubtest."""

import ast
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import gfmul

try:
    import mypy.api
    import numpy
except ImportError:
    mypy = None
LONG = int(os.environ.get("GFMUL_TEST_LONG", "0"))
PACKAGE = pathlib.Path(gfmul.__file__).parent
PROGRAM = pathlib.Path(__file__).with_name("typed_program.py")


class Stubs(unittest.TestCase):
    def test_records(self):
        """Plan, Report and devices have the fields of the stubs, of their types."""
        context = gfmul.Context(engine="cpu")
        context.sqr(3**9000)
        records = {"Plan": dict(context.plan(5000)._fields), "Report": dict(context.report()._fields)}
        if gfmul.devices():
            records["_Device"] = gfmul.devices()[0]
        records["_Options"] = dict(context.options)
        kinds = {"str": str, "int": int, "float": float, "bool": bool, "Status": gfmul.Status, "Plan": gfmul.Plan,
                 "list[tuple[int, int, int, int]]": list}
        for node in ast.parse((PACKAGE / "__init__.pyi").read_text()).body:
            if isinstance(node, ast.ClassDef) and node.name in records:
                record = records.pop(node.name)
                fields = {x.target.id: ast.unparse(x.annotation) for x in node.body if isinstance(x, ast.AnnAssign)}
                self.assertEqual(set(fields), set(record), node.name)
                for name, kind in fields.items():
                    if kind in kinds:
                        self.assertIs(type(record[name]), kinds[kind], f"{node.name}.{name}")
        self.assertEqual(records, {})

    def test_no_any(self):
        for stub in PACKAGE.glob("*.pyi"):
            names = {node.id for node in ast.walk(ast.parse(stub.read_text())) if isinstance(node, ast.Name)}
            self.assertNotIn("Any", names, stub)

    @unittest.skipUnless(mypy and LONG and numpy.__version__ >= "2", "only with mypy, numpy 2 and GFMUL_TEST_LONG")
    def test_mypy(self):
        with tempfile.TemporaryDirectory() as folder:
            cache = pathlib.Path(folder, "cache")
            config, allowed = pathlib.Path(folder, "config"), pathlib.Path(folder, "allowed")
            config.write_text(f"[mypy]\ncache_dir = {cache}\nmypy_path = {PACKAGE.parent}\n")
            # The private modules have no stubs, or are in C.
            allowed.write_text("gfmul\\._(arrays|convolve|core|helpers|kronecker|transforms).*\n")
            out, errors, _ = mypy.api.run(["--strict", "--config-file", str(config), "--no-error-summary", str(PROGRAM)])
            found = {int(line.split(":")[1]) for line in out.splitlines() if ": error:" in line and PROGRAM.name in line}
            lines = PROGRAM.read_text().splitlines()
            self.assertEqual(found, {i for i, line in enumerate(lines, 1) if line.endswith("# WRONG")}, out + errors)
            self.assertNotIn("__init__.pyi", out)
            env = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
            run = subprocess.run([sys.executable, "-m", "mypy.stubtest", "gfmul", "--ignore-missing-stub", "--allowlist",
                                  str(allowed), "--ignore-unused-allowlist", "--mypy-config-file", str(config)],
                                 env=env, capture_output=True, text=True)
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)


if __name__ == "__main__":
    unittest.main()
