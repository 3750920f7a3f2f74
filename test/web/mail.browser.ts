/** The settings of e-mail: the server, a test message, the texts; and what is said where there is nothing to set. */
import type { CompanyMail } from "lacre";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { anSmtp } from "../support/smtp.ts";
import { accessibility, coveredFocus, overflow } from "./support/audit.ts";
import { type Cookies, type Look, tabTo, visit } from "./support/browser.ts";
import { OWNER } from "./support/hands.ts";
import { emptyCompany, furnish, officeOf } from "./support/office.ts";
import { openShop, type Shop } from "./support/shop.ts";

let shop: Shop;
let cookies: Cookies;
beforeAll(async () => {
  shop = await openShop(["--mail-key", "mail.key"]);
  cookies = await furnish(shop);
});
afterAll(() => shop.close());

const PASSWORD = "muito-secreta-42";

/** Types the owner's password if the page asks for it, and waits for what follows. */
async function confirmed(page: Page, then: string): Promise<void> {
  const dialog = page.getByRole("dialog", { name: "Confirme a sua identidade" });
  await page.getByText(then).or(dialog).first().waitFor();
  if (!(await dialog.isVisible())) return;
  await dialog.getByLabel("Palavra-passe").fill(OWNER.password);
  await page.keyboard.press("Enter");
  await page.getByText(then).waitFor();
}

const SAVED = "Servidor guardado.";
const serverSection = (page: Page) => page.locator("section", { hasText: "Servidor de e-mail" });

test("an owner names a server by the keyboard, keeps its password when another field changes, and stops using it", async () => {
  await visit(shop.url, { cookies }, async ({ page, context, allow }) => {
    allow("403 /area/v1/mail");
    const kept = () => officeOf(context, shop.url).read<CompanyMail>("/area/v1/mail");
    await page.goto("/area/settings");
    await page.getByRole("link", { name: "Configurar o e-mail" }).click();
    await page.getByText("Ainda não se enviam e-mails").waitFor();
    const write = async (field: RegExp, typed: string) => {
      await tabTo(page, field);
      await page.keyboard.type(typed);
    };
    await write(/^Servidor \(SMTP\)/, "smtp.padaria.pt");
    await tabTo(page, /^Segurança/);
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => page.getByLabel("Porta").inputValue()).toBe("465");
    await write(/^Utilizador/, "loja@padaria.pt");
    await write(/^Palavra-passe/, PASSWORD);
    expect(await page.getByLabel("Enviar de").inputValue()).toBe("loja@padaria.pt");
    await page.keyboard.press("Enter");
    await confirmed(page, SAVED);
    expect((await kept()).server).toEqual({
      ...{ host: "smtp.padaria.pt", port: 465, security: "tls" },
      ...{ user: "loja@padaria.pt", has_password: true, from: "loja@padaria.pt" },
    });
    expect(await page.getByLabel("Palavra-passe").inputValue()).toBe("");

    await page.getByLabel("Porta").fill("2465");
    await page.getByText("Deixe em branco para manter").waitFor();
    await page.keyboard.press("Enter");
    await expect.poll(async () => (await kept()).server).toMatchObject({ port: 2465, has_password: true });
    await page.getByLabel("Servidor (SMTP)").fill("smtp.outro.pt");
    allow("400 /area/v1/mail");
    await page.keyboard.press("Enter");
    await serverSection(page).getByText("escreva os dois").waitFor();
    expect(await page.getByLabel("Servidor (SMTP)").inputValue()).toBe("smtp.outro.pt");

    await page.getByRole("button", { name: "Deixar de usar" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Deixar de usar" }).click();
    await page.getByText("O servidor já não é usado.").waitFor();
    expect((await kept()).server).toBeNull();
    expect(await page.getByLabel("Servidor (SMTP)").inputValue()).toBe("");
  });
});

test("a test message says what became of it, in words", async () => {
  const smtp = await anSmtp();
  await visit(shop.url, { cookies }, async ({ page, allow }) => {
    allow("403 /area/v1/mail", "429 /area/v1/mail/test");
    await page.goto("/area/mail");
    const name = async (port: number) => {
      await page.getByLabel("Servidor (SMTP)").fill("127.0.0.1");
      await page.getByLabel("Segurança").selectOption("none");
      await page.getByLabel("Porta").fill(String(port));
      await page.getByLabel("Enviar de").fill("loja@padaria.example");
      await serverSection(page).getByRole("button", { name: "Guardar" }).click();
      await confirmed(page, SAVED);
    };
    const send = page.getByRole("button", { name: "Enviar um e-mail de teste" });
    const outcome = page.locator(".outcome");
    /** Asks until the ten seconds between two messages have passed. */
    const says = (words: RegExp) =>
      expect
        .poll(
          async () => {
            await send.click();
            await page.locator(".outcome p, main .problem").first().waitFor();
            return outcome.innerText();
          },
          { interval: 1_000 },
        )
        .toMatch(words);
    await name(smtp.server.port);
    await says(/^Chegou ao servidor, que o aceitou para ana@padaria\.pt/);
    expect(smtp.taken).toHaveLength(1);
    expect(smtp.taken[0]).toContain(`To: ${OWNER.login}`);
    await send.click();
    await page.getByText("Acabou de pedir um e-mail de teste").waitFor();
    smtp.deed = () => "refuse";
    await says(/^O servidor recusou a mensagem: 550 no such user/);
    await page.getByLabel("Porta").fill("1");
    await page.getByText("Guarde primeiro o servidor.").waitFor();
    await expect.poll(() => outcome.innerText()).toBe("");
    await name(1);
    await says(/^Não seguiu: o servidor não respondeu/);
  });
});

test("nothing typed is lost without a network, by an error, or by another screen", async () => {
  await visit(shop.url, { cookies }, async ({ page, context, allow }) => {
    allow("403 /area/v1/mail", "400 /area/v1/mail");
    await page.goto("/area/mail");
    const subject = page.getByLabel("Assunto").first();
    await subject.fill("Segue {nome}");
    await context.setOffline(true);
    await page.keyboard.press("Enter");
    await page.getByText("Sem ligação ao servidor.").first().waitFor();
    await context.setOffline(false);
    await page.keyboard.press("Enter");
    await confirmed(page, "Tem {nome}, que não é um destes lugares");
    expect(await subject.inputValue()).toBe("Segue {nome}");
    page.once("dialog", (question) => question.dismiss());
    await page.getByRole("link", { name: "Definições" }).click();
    expect(await subject.inputValue()).toBe("Segue {nome}");
    await subject.fill("Segue {title}, {company}");
    await page.getByText("Ver como fica").first().click();
    await page.getByText("Segue Fatura FT 2026A/12, Padaria Central, Lda.").waitFor();
    await page.keyboard.press("Tab");
    await subject.press("Enter");
    await confirmed(page, "Remetente e mensagem guardados.");
    await page.reload();
    expect(await subject.inputValue()).toBe("Segue {title}, {company}");
    await page.getByRole("button", { name: "Repor o texto do Lacre" }).click();
    expect(await subject.inputValue()).toBe("{title} – {company}");
    await subject.press("Enter");
    await confirmed(page, "Remetente e mensagem guardados.");
    expect((await officeOf(context, shop.url).read<CompanyMail>("/area/v1/mail")).pt).toEqual({
      subject: null,
      message: null,
    });
  });
});

test("what was typed is still there once the session has ended and the same person is back", async () => {
  const own = await openShop(["--mail-key", "mail.key"]);
  onTestFinished(() => own.close());
  await visit(own.url, { cookies: await furnish(own) }, async ({ page, context, allow }) => {
    allow("401");
    await page.goto("/area/mail");
    await page.getByLabel("Nome do remetente").fill("Padaria da Ana");
    await context.clearCookies();
    await page.keyboard.press("Enter");
    const again = page.getByRole("dialog");
    await again.getByLabel("Palavra-passe").fill(OWNER.password);
    await page.keyboard.press("Enter");
    await again.waitFor({ state: "detached" });
    expect(await page.getByLabel("Nome do remetente").inputValue()).toBe("Padaria da Ana");
  });
});

test.each<Look>([
  { language: "pt", scheme: "light", width: 1280 },
  { language: "en", scheme: "dark", width: 390 },
])("the form of a server is sound in $language at $width px", async (look) => {
  await visit(shop.url, { cookies, ...look }, async ({ page }) => {
    await page.goto("/area/mail");
    await page.getByLabel(/SMTP/).waitFor();
    for (const summary of await page.locator("main summary").all()) await summary.click();
    expect([...(await overflow(page)), ...(await accessibility(page)), ...(await coveredFocus(page))]).toEqual([]);
  });
});

test("where whoever runs Lacre named a server there is only a test message to send, and documents say what was sent and linked", async () => {
  const smtp = await anSmtp();
  const flags = ["--smtp", `smtp://127.0.0.1:${smtp.server.port}`, "--smtp-plain", "--smtp-from", "faturas@lacre.pt"];
  const other = await openShop([...flags, "--public-url", "https://loja.pt"]);
  onTestFinished(() => other.close());
  await visit(other.url, { cookies: await furnish(other) }, async ({ page, context }) => {
    await page.goto("/area/mail");
    await page.getByText("Os e-mails seguem de faturas@lacre.pt").waitFor();
    expect(await page.getByLabel("Servidor (SMTP)").count()).toBe(0);
    await page.getByRole("button", { name: "Enviar um e-mail de teste" }).click();
    await page.getByText("Chegou ao servidor").waitFor();
    const office = officeOf(context, other.url);
    const { id } = await office.send<{ id: string }>("POST", "/v1/documents", {
      doc_type: "FT",
      series: "current",
      customer: { name: "Ana Reis", email: "ana.reis@example.com" },
      lines: [{ description: "Bolo", qty: 1, unit_price_gross: 30, tax_rate: 23 }],
      issue: true,
      email: true,
    });
    const history = async () => {
      await page.goto(`/area/documents/${id}`);
      await page.locator(".history li").first().waitFor();
      return page.locator(".history").innerText();
    };
    await expect.poll(history).toContain("E-mail enviado");
    expect(await history()).toContain("E-mail à espera de ser enviado");
    const link = await office.send<{ id: string }>("POST", `/v1/documents/${id}/links`, {});
    await office.send("DELETE", `/v1/links/${link.id}`);
    expect(await history()).toMatch(/Ligação anulada.*Ligação criada/s);
    expect(smtp.taken.at(-1)).toContain("To: ana.reis@example.com");
  });
});

test("without a server that it may set, the page says who can; one of several companies only stops using its own", async () => {
  const other = await openShop();
  onTestFinished(() => other.close());
  await visit(other.url, { cookies: await furnish(other) }, async ({ page }) => {
    await page.goto("/area/mail");
    await page.getByText("Quem a instalou indica o servidor com --smtp").waitFor();
    expect(await page.getByRole("button", { name: "Enviar um e-mail de teste" }).count()).toBe(0);
  });
  await visit(shop.url, { cookies }, async ({ page, context, allow }) => {
    allow("403 /area/v1/mail");
    const office = officeOf(context, shop.url);
    await office.send("POST", "/area/v1/session/confirm", { password: OWNER.password });
    const server = { host: "smtp.padaria.pt", port: 465, security: "tls", from: "loja@padaria.pt" };
    await office.send("PATCH", "/area/v1/mail", { server });
    await emptyCompany(office);
    await page.goto("/area/mail");
    await page.getByText("este servidor não se muda aqui").waitFor();
    await page.getByRole("button", { name: "Deixar de usar" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Deixar de usar" }).click();
    await page.getByText("Esta instalação ainda não envia e-mails.").waitFor();
  });
});

test("reminders are switched on by days in any order and off by none, with the company's own text of them", async () => {
  const own = await openShop(["--mail-key", "mail.key"]);
  onTestFinished(() => own.close());
  await visit(own.url, { cookies: await furnish(own) }, async ({ page, context, allow }) => {
    allow("403");
    const kept = async () => (await officeOf(context, own.url).read<CompanyMail>("/area/v1/mail")).reminders;
    await page.goto("/area/settings");
    await page.getByLabel("IBAN").fill("PT50 0002 0123 1234 5678 9015 4");
    await page.keyboard.press("Enter");
    await confirmed(page, "Definições guardadas.");
    await page.getByRole("button", { name: "Guardar", disabled: true }).first().waitFor();
    await page.goto("/area/mail");
    const section = page.locator("section", { hasText: "Lembretes de pagamento" });
    const days = section.getByLabel("Dias depois do vencimento");
    for (const wrong of ["três", "0, 3", "1, 2, 3, 4, 5, 6", "366"]) {
      await days.fill(wrong);
      await page.keyboard.press("Enter");
      await section.getByText("Escreva até cinco números").waitFor();
      expect(await days.inputValue()).toBe(wrong);
    }
    await days.fill("30, 3 e 10");
    await section.getByLabel("Assunto").first().fill("{title}: faltam {outstanding}");
    await page.keyboard.press("Enter");
    await confirmed(page, "Lembretes guardados.");
    expect(await days.inputValue()).toBe("3, 10, 30");
    await expect(section.getByLabel("Mensagem").first().inputValue()).resolves.toContain("para o IBAN {iban}");
    expect(await kept()).toMatchObject({
      days: [3, 10, 30],
      pt: { subject: "{title}: faltam {outstanding}", message: null },
      en: { subject: null, message: null },
    });
    await days.fill("");
    await page.keyboard.press("Enter");
    await confirmed(page, "Guardado: não se enviam lembretes.");
    expect((await kept()).days).toEqual([]);
  });
});
