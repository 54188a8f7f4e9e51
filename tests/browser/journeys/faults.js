// What breaks while somebody works: the stream, an answer, the session, their membership.

import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";

import { bubbles, composer, openConversation, taken, writes } from "../support/inbox.js";
import { customer } from "../support/life.js";
import { Line } from "../support/line.js";
import { Member } from "../support/member.js";
import { agent, base, eventually, join, network, open, owner } from "../support/stage.js";

/**
 * How often a phone has got this.
 * @param {string} from
 * @param {string} text
 */
async function arrived(from, text) {
  await network.settled();
  return (await network.chat(from.slice(1))).filter((line) => line.text === text).length;
}

test("a stream that is cut in the middle of an answer loses neither the answer nor what came meanwhile", async () => {
  const from = "+9647702220001";
  const id = await customer("Cut Off", from);
  const line = new Line(base);
  const address = await line.open();
  const { context } = await open(agent, { baseURL: address });
  const page = await context.newPage();
  await openConversation(page, id);
  await bubbles(page, "Hello from Cut Off").waitFor();
  await composer(page).fill("Half of an ans");
  line.cut();
  await network.writes(from, "Cut Off", "Said while nobody heard");
  await page.locator("[data-offline]").waitFor({ state: "visible" });
  line.mend();
  await taken(page, "Said while nobody heard").waitFor();
  await page.locator("[data-offline]").waitFor({ state: "hidden" });
  equal(await composer(page).inputValue(), "Half of an ans");
  await composer(page).press("End");
  await composer(page).pressSequentially("wer");
  await composer(page).press("Enter");
  await taken(page, "Half of an answer").waitFor();
  equal(await arrived(from, "Half of an answer"), 1);
  await context.close();
  line.close();
});

test("an answer that is lost after it was taken becomes one message, however often it is tried", async () => {
  const from = "+9647702220002";
  const id = await customer("Answered Once", from);
  const { context, complaints } = await open(agent);
  const page = await context.newPage();
  await openConversation(page, id);
  let lost = 0;
  await page.route("**/reply", async (route) => {
    await route.fetch();
    lost += 1;
    await route.abort("connectionreset");
  });
  await composer(page).fill("Only once, please");
  await composer(page).press("Enter");
  const again = page.locator("#bubbles > li.pending button").first();
  await again.waitFor();
  await again.click();
  await eventually("it was tried twice", async () => lost === 2);
  await page.unroute("**/reply");
  // The page has heard of the message by its stream meanwhile; whoever tries once more gets the same one.
  const button = page.locator("#bubbles > li.pending button").first();
  if (await button.isVisible()) await button.click();
  await page.locator("#bubbles > li.pending").waitFor({ state: "detached" });
  equal(await taken(page, "Only once, please").count(), 1);
  await page.reload();
  await taken(page, "Only once, please").waitFor();
  equal(await bubbles(page, "Only once, please").count(), 1);
  equal(await arrived(from, "Only once, please"), 1);
  deepEqual(complaints.take().filter((line) => !line.includes("ERR_CONNECTION_RESET")), []);
  await context.close();
});

test("an answer that is lost can be taken back, and is sent once all the same", async () => {
  const from = "+9647702220006";
  const id = await customer("Taken Back", from);
  const { context, complaints } = await open(agent);
  const page = await context.newPage();
  await openConversation(page, id);
  const lose = async () => {
    await page.route("**/reply", async (route) => {
      await route.fetch();
      await route.abort("connectionreset");
    }, { times: 1 });
  };
  const pending = page.locator("#bubbles > li.pending");
  const takeBack = pending.locator("button").nth(1);

  await lose();
  await composer(page).fill("Perhaps it was sent");
  await composer(page).press("Enter");
  await takeBack.waitFor();
  const said = (await pending.locator("[role=alert]").textContent()) ?? "";
  ok(said.includes("not known whether this was sent"), said);
  await takeBack.click();
  equal(await composer(page).inputValue(), "Perhaps it was sent");
  await composer(page).press("Enter");
  await pending.waitFor({ state: "detached" });
  await taken(page, "Perhaps it was sent").waitFor();
  equal(await arrived(from, "Perhaps it was sent"), 1);

  // With other words it would be another message, and they read so before they send it.
  await lose();
  await composer(page).fill("The shop opens at 9");
  await composer(page).press("Enter");
  await takeBack.click();
  await composer(page).fill("The shop opens at 10");
  await composer(page).press("Enter");
  await pending.getByText("sent before with other words").waitFor();
  equal(await arrived(from, "The shop opens at 10"), 0);
  await pending.locator("button").first().click();
  await pending.waitFor({ state: "detached" });
  equal(await arrived(from, "The shop opens at 9"), 1);
  equal(await arrived(from, "The shop opens at 10"), 1);
  deepEqual(complaints.take().filter((line) => !line.includes("ERR_CONNECTION_RESET")), []);
  await context.close();
});

/**
 * @param {import("playwright-core").Page} page
 * @param {Member} member
 */
async function signInAgain(page, member) {
  await page.waitForURL("**/dashboard/sign-in*");
  await page.locator("#email").fill(member.email);
  await page.locator("#password").fill(member.password);
  await page.locator("main button.main").click();
}

test("a session that ends while somebody types leads to signing in, and the draft is still there", async () => {
  const id = await customer("Patient", "+9647702220003");
  const second = await new Member(base, agent.email, agent.password).signIn();
  const { context, complaints } = await open(second);
  const page = await context.newPage();
  await openConversation(page, id);
  await composer(page).pressSequentially("A long answer that nobody wants to write twice");
  await second.ask("POST", "/sign-out");
  await composer(page).press("Enter");
  await signInAgain(page, agent);
  await page.waitForURL(`**/dashboard/inbox/${id}*`);
  equal(await composer(page).inputValue(), "A long answer that nobody wants to write twice");
  await composer(page).press("Enter");
  await taken(page, "A long answer that nobody wants to write twice").waitFor();
  equal(await arrived("+9647702220003", "A long answer that nobody wants to write twice"), 1);
  deepEqual(complaints.take().filter((line) => !line.includes("status of 401")), []);
  await context.close();
});

test("whoever signs in while nothing answers reads so, and signs in with what they have typed when it is back", async () => {
  const second = await new Member(base, agent.email, agent.password).signIn();
  const { context } = await open(second);
  const page = await context.newPage();
  await context.clearCookies();
  await page.goto("/dashboard/sign-in");
  await page.locator("#email").fill(agent.email);
  await page.locator("#password").fill(agent.password);
  await context.setOffline(true);
  await page.locator("main button.main").click();
  await page.locator("main form [role=alert]").filter({ hasText: "Try again shortly" }).waitFor();
  equal(await page.locator("#email").inputValue(), agent.email);
  await context.setOffline(false);
  await page.locator("main button.main").click();
  await page.waitForURL("**/dashboard/inbox*");
  await context.close();
});

test("of two answers that are on their way when a session has ended, neither is lost", async () => {
  const id = await customer("Patient Twice", "+9647702220009");
  const second = await new Member(base, agent.email, agent.password).signIn();
  const { context, complaints } = await open(second);
  const page = await context.newPage();
  await openConversation(page, id);
  await context.clearCookies();
  await page.evaluate(() => {
    const form = /** @type {HTMLFormElement} */ (document.querySelector("form[data-compose]"));
    const field = /** @type {HTMLTextAreaElement} */ (form.elements.namedItem("text"));
    for (const text of ["Neither this one", "Nor the one after it"]) {
      field.value = text;
      form.requestSubmit();
    }
  });
  await signInAgain(page, agent);
  await page.waitForURL(`**/dashboard/inbox/${id}*`);
  await bubbles(page, "Nor the one after it").locator("button").first().waitFor();
  equal(await composer(page).inputValue(), "Neither this one");
  deepEqual(complaints.take().filter((line) => !line.includes("status of 401")), []);
  await context.close();
});

test("a session that ends while somebody writes a note leads back to it, and a password is kept nowhere", async () => {
  const id = await customer("Noted Twice", "+9647702220008");
  const second = await new Member(base, agent.email, agent.password).signIn();
  const { context, complaints } = await open(second);
  const page = await context.newPage();
  await openConversation(page, id);
  await writes(page, "note");
  await page.locator("#note").fill("What the customer told me by telephone");
  await second.ask("POST", "/sign-out");
  // The page may have found out by itself meanwhile.
  await page.evaluate(() => document.querySelector("form.write-note button.main")?.dispatchEvent(new MouseEvent("click"))).catch(() => {});
  await signInAgain(page, agent);
  await page.waitForURL(`**/dashboard/inbox/${id}*`);
  await page.locator("#note").waitFor({ state: "visible" });
  equal(await page.locator("#note").inputValue(), "What the customer told me by telephone");

  await page.goto("/dashboard/profile");
  await page.locator("#name").fill("A name to be kept");
  await page.locator("#current").fill("not to be kept");
  await page.goto("/dashboard/sign-in?after=ended");
  const kept = await page.evaluate(() => JSON.stringify({ ...sessionStorage }));
  ok(kept.includes("A name to be kept") && !kept.includes("not to be kept"), kept);
  await page.goto(`/dashboard/inbox/${id}`);
  await writes(page, "note");
  await page.locator("#note").fill("Left by oneself");
  await page.goto("/dashboard/inbox");
  await page.goto(`/dashboard/inbox/${id}`);
  equal(await page.locator("#note").inputValue(), "", "what was left by oneself is not put back");
  deepEqual(complaints.take().filter((line) => !line.includes("status of 401")), []);
  await context.close();
});

for (const [language, email] of [["en", "leaver@rafidain.example"], ["ar", "raheel@rafidain.example"]]) {
  test(`a member who is removed while they look reads why, in their language (${language})`, async () => {
    ok(language && email);
    const id = await customer(`Farewell ${language}`, language === "en" ? "+9647702220004" : "+9647702220005");
    const leaver = await join(email, "Leaver", "agent");
    const { context, complaints } = await open(leaver, { locale: language });
    const page = await context.newPage();
    await openConversation(page, id);
    await composer(page).pressSequentially("What I was about to say");
    const { member } = await leaver.get("/me");
    await owner.ask("DELETE", `/members/${member.id}`);
    await composer(page).press("Enter");
    await page.waitForURL("**/dashboard/sign-in*");
    equal(await page.locator("html").getAttribute("lang"), language);
    const said = await page.locator("main [role=status], main [role=alert]").first().textContent();
    ok(said && said.trim().length > 20, "a sentence says what happened");
    ok(language === "en" || /[\u0600-\u06ff]/.test(said), said);
    ok(!/[a-z]+_[a-z]+|\b4\d\d\b/.test(said), `no code: ${said}`);
    deepEqual(complaints.take().filter((line) => !line.includes("status of 401")), []);
    // Nobody sends it any more, and it is not lost on this browser either.
    equal(await page.evaluate(() => JSON.stringify({ ...localStorage }).includes("What I was about to say")), true);
    equal(await arrived("+9647702220004", "What I was about to say"), 0);
    await context.close();
  });
}

test("a draft is its author's alone, and signing out leaves the browser's choices", async () => {
  const id = await customer("Two Members", "+9647702220007");
  const { context, complaints } = await open(agent);
  const page = await context.newPage();
  await openConversation(page, id);
  await composer(page).pressSequentially("For my eyes only");
  await page.evaluate(() => localStorage.setItem("wants sound", "yes"));
  const kept = () => page.evaluate(() => JSON.stringify({ ...localStorage }));

  const own = await new Member(base, owner.email, owner.password).signIn();
  await context.addCookies([own.cookie()]);
  await openConversation(page, id);
  equal(await composer(page).inputValue(), "", "another member has another draft");
  ok((await kept()).includes("For my eyes only"), "and the first is still there");

  await page.locator("details.oneself > summary").click();
  await page.locator("form[action='/dashboard/sign-out'] button").click();
  await page.waitForURL("**/dashboard/sign-in?after=sign-out");
  await eventually("what was written is forgotten", async () => !(await kept()).includes("For my eyes only"));
  equal(await page.evaluate(() => localStorage.getItem("wants sound")), "yes");
  // The browser tells that it has dropped what it had cached.
  const told = /status of 401|Cleared data types: "cache"/;
  deepEqual(complaints.take().filter((line) => !told.test(line)), []);
  await context.close();
});

test("where somebody else has signed in, a window that shows a member's conversations becomes theirs", async () => {
  const from = "+9647702220010";
  const id = await customer("Handed Over", from);
  const { context } = await open(agent);
  const page = await context.newPage();
  await openConversation(page, id);
  await composer(page).pressSequentially("Half of what I would say");
  const next = await join("nextshift@rafidain.example", "Next Shift", "agent");
  const { member } = await next.get("/me");
  await context.addCookies([next.cookie()]);
  await network.writes(from, "Handed Over", "Whose page is this?");
  await page.waitForFunction((member) => document.documentElement.dataset.member === member, member.id);
  await taken(page, "Whose page is this?").waitFor();
  equal(await composer(page).inputValue(), "", "another member has another draft");
  const own = await new Member(base, agent.email, agent.password).signIn();
  await context.addCookies([own.cookie()]);
  await openConversation(page, id);
  equal(await composer(page).inputValue(), "Half of what I would say");
  await context.close();
});

test("a form whose button is pressed twice is sent once", async () => {
  const { context, complaints } = await open(owner, { locale: "en" });
  const page = await context.newPage();
  await page.goto("/dashboard/settings/keys");
  await page.locator("#label").fill("Pressed twice");
  await page.locator("input[name='contacts:read']").check();
  let posts = 0;
  await page.route("**/dashboard/settings/keys", async (route) => {
    // The page looks by itself for what others have changed.
    if (route.request().method() !== "POST") return route.continue();
    posts += 1;
    await new Promise((resolve) => setTimeout(resolve, 300));
    await route.continue().catch(() => {});
  });
  await page.locator("form[action$='/settings/keys'] button.main").evaluate((button) => {
    if (!(button instanceof HTMLElement)) throw new Error("it is no button");
    button.click();
    setTimeout(() => button.click(), 50);
  });
  await page.locator("[role=status] code").waitFor();
  equal(posts, 1);
  const { rows } = await owner.get("/api-keys");
  equal(rows.filter((/** @type {any} */ row) => row.label === "Pressed twice").length, 1);
  deepEqual(complaints.take(), []);
  await context.close();
});

test("a form that is sent in the background stays with what was typed while the service is away", async () => {
  const { context, complaints } = await open(owner, { locale: "en" });
  const page = await context.newPage();
  await page.goto("/dashboard/settings/assistant/try");
  let away = { status: 503, contentType: "text/html", body: "<main><h1>The service is away</h1></main>" };
  await page.route("**/dashboard/settings/assistant/try", (route) =>
    route.request().method() === "POST" ? route.fulfill(away) : route.continue(),
  );
  await page.locator("#say").fill("How much is it?");
  await page.locator("form[data-again] button.main").click();
  await page.locator("form[data-again] [role=alert]").getByText("The service is away").waitFor();
  equal(await page.locator("#say").inputValue(), "How much is it?");
  equal(await page.locator("form[data-again] button.main").isEnabled(), true);
  away = { ...away, body: "" };
  await page.locator("form[data-again] button.main").click();
  await page.locator("form[data-again] [role=alert]").getByText("503").waitFor();
  equal(await page.locator("form[data-again] [role=alert]").count(), 1);
  deepEqual(complaints.take().filter((line) => !line.includes("status of 503")), []);
  await context.close();
});
