"""Everything can be imported where Unix's own modules do not exist, as on Windows."""

import subprocess
import sys

SCRIPT = """
import importlib, pkgutil, sys

OURS = []

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name in ("fcntl", "resource", "termios", "grp", "pwd"):
            frame = sys._getframe(1)
            while frame is not None:
                module = frame.f_globals.get("__name__", "")
                if not module.startswith("importlib"):
                    break
                frame = frame.f_back
            if module.startswith("instinct"):
                OURS.append((module, name))
                raise ImportError(f"{module} imports {name}")
            if name == "fcntl":
                raise ImportError("fcntl does not exist here")
        return None

for name in ("fcntl", "resource", "termios", "grp", "pwd"):
    sys.modules.pop(name, None)
sys.meta_path.insert(0, Blocked())
import instinct
count = 0
for module in pkgutil.walk_packages(instinct.__path__, "instinct."):
    if module.name.endswith(("__main__", "worker_main", "ray_executor")):
        continue
    if ".torch_" in module.name:
        continue
    importlib.import_module(module.name)
    count += 1
print(count, OURS)
"""


def test_nothing_of_ours_needs_unix_to_be_imported() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    count, ours = done.stdout.split(maxsplit=1)
    assert int(count) > 150
    assert ours.strip() == "[]"
