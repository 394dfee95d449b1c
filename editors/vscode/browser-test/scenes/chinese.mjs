// The editor in Chinese: what the server says, and what the extension does.

export const locale = "zh-cn";

async function findings(person) {
  await person.opens("train.py");
  await person.seesUnderlined(2);
  await person.presses("Control+Shift+KeyM"); // the problems
  await person.sees("没有设置 `async_save`", "#problems");
  await person.look("findings");
}

async function extension(person) {
  await person.page.locator("#theia-statusBar").getByText("ms-perflint 0").hover();
  await person.sees("服务器正在运行");
  await person.clicks("PYNATIVE_MODE");
  await person.presses("Control+Period");
  await person.sees("验证此修复", ".action-widget");
  await person.look("menu");
  await person.presses("Escape");
  await person.page.locator(".theia-header", { hasText: "WORKSPACE" }).first().click(); // makes room
  await person.runs("显示程序信息");
  await person.sees("检查点", ".theia-TreeContainer:visible");
  await person.look("facts");
}

export const steps = [findings, extension];
