import assert from "node:assert/strict";
import { gradeOf } from "../src/grades";
import { forServer } from "../src/settings";

describe("the settings for the server", () => {
  it("are those that are set, without those of the extension", () => {
    const section = {
      path: "/a/ms-perflint",
      interpreter: "",
      trace: { server: "off" },
      select: ["MSP301"],
      ignore: null,
      device: "",
      "unsafe-fixes": false,
      exclude: [],
    };
    assert.deepEqual(forServer(section), { select: ["MSP301"], "unsafe-fixes": false, exclude: [] });
  });

  it("are none where there is no section", () => {
    for (const section of [null, undefined, "no", 3]) {
      assert.deepEqual(forServer(section), {});
    }
  });
});

describe("the grade of a fix", () => {
  it("is what the server says", () => {
    for (const safety of ["safe", "unsafe", "display-only"]) {
      assert.equal(gradeOf({ safety }), safety);
    }
  });

  it("is not there in the data of other actions", () => {
    for (const data of [undefined, null, "safe", { uri: "file:///a.py" }, { safety: "perhaps" }]) {
      assert.equal(gradeOf(data), undefined);
    }
  });
});
