"""tally.py FILE.xml...: adds up JUnit files; prints skips with their reasons and the closing line."""
import sys
import xml.etree.ElementTree as xml

passed = failed = 0
skipped = []
for path in sys.argv[1:]:
    for case in xml.parse(path).getroot().iter("testcase"):
        name = f"{case.get('classname', '')}.{case.get('name')}"
        skip = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
            print(f"failed: {name}")
        elif skip is not None:
            skipped.append(f"skipped: {name}: {skip.get('message') or 'no reason given'}")
        else:
            passed += 1

print("\n".join(skipped), end="\n" if skipped else "")
print(f"{passed} passed, {failed} failed" + (f", {len(skipped)} skipped" if skipped else ""))
sys.exit(1 if failed or not passed else 0)
