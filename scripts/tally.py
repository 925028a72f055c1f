"""tally.py FILE.xml...: adds up JUnit files; prints failures, skips with their reasons, and the closing
line. A test that stands in several files counts by the last one, and is named when that changed it."""
import sys
import xml.etree.ElementTree as xml


def verdict(case):
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed", ""
    skip = case.find("skipped")
    if skip is not None:
        return "skipped", f": {skip.get('message') or 'no reason given'}"
    return "passed", ""


def main():
    results = {}
    for path in sys.argv[1:]:
        for number, case in enumerate(xml.parse(path).getroot().iter("testcase")):
            name = f"{case.get('classname', '')}.{case.get('name')}"
            # Two unit programs may have tests of one name; only pytest's files repeat each other.
            key = name if "pytest" in path else (path, number)
            before = results.get(key)
            results[key] = (name, *verdict(case))
            if before and before[1] == "failed" and results[key][1] == "passed":
                print(f"passed only when run again by itself: {name}")
    count = {kind: sum(1 for _, found, _ in results.values() if found == kind)
             for kind in ("passed", "failed", "skipped")}
    for name, found, why in results.values():
        if found != "passed":
            print(f"{found}: {name}{why}")
    print(f"{count['passed']} passed, {count['failed']} failed"
          + (f", {count['skipped']} skipped" if count["skipped"] else ""))
    return 1 if count["failed"] or not count["passed"] else 0


sys.exit(main())
