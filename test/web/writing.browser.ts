/** Writing documents as people in a shop do: what they say, and what must be on the paper then. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { focusName, type Visitor, visit } from "./support/browser.ts";
import { issuedNumber, OWNER } from "./support/hands.ts";
import { addUser, confirm, type Office, officeOf, useShop } from "./support/office.ts";

const home = useShop();

interface Issued {
  readonly id: string;
  readonly total_gross: number;
  readonly customer: { readonly name: string; readonly tax_id: string | null };
  readonly lines: readonly Record<string, unknown>[];
  readonly qr_code: string | null;
  readonly payments: readonly { readonly method_code: string; readonly amount: number }[];
  readonly transport: Record<string, unknown> | null;
}

/** The owner of the shop at a screen of the area. */
const atShop = <Value>(stay: (visitor: Visitor & { readonly office: Office }) => Promise<Value>) =>
  visit(home.shop.url, { cookies: home.cookies }, (visitor) =>
    stay({ ...visitor, office: officeOf(visitor.context, home.shop.url) }),
  );

/** The document on the screen of what was just issued. */
async function issued(page: Page, office: Office): Promise<Issued> {
  const number = await issuedNumber(page);
  const found = await office.read<{ data: readonly { id: string }[] }>(
    `/v1/documents?number=${encodeURIComponent(number)}`,
  );
  return office.read(`/v1/documents/${found.data[0]?.id}`);
}

/** Opens a document to write, and waits until keys go where they should. */
async function begin(page: Page, query: string, field = /^(Artigo|Product)/): Promise<void> {
  await page.goto(`/area/new${query}`);
  await at(page, field);
}

const at = (page: Page, field: RegExp) => expect.poll(() => focusName(page), { timeout: 60_000 }).toMatch(field);

const KEY = /^(?:Enter|Tab|Escape|Delete|ArrowUp|F\d|Control\+Enter)$/;

/** Presses keys one after another, or types what is none; answers how many were pressed. */
async function press(page: Page, ...keys: readonly string[]): Promise<number> {
  for (const key of keys) await (KEY.test(key) ? page.keyboard.press(key) : page.keyboard.type(key));
  return keys.reduce((count, key) => count + (KEY.test(key) ? 1 : key.length), 0);
}

const rows = (page: Page) => page.locator("table.lines tbody tr");
const dialogOf = (page: Page) => page.getByRole("dialog");
const totalOf = async (page: Page) => (await page.locator("aside .grand strong").textContent())?.replace(/\s/g, " ");
const makeCustomer = (office: Office, fields: Record<string, unknown>) =>
  office.send<{ id: string }>("POST", "/v1/customers", fields);
const makeProduct = (office: Office, fields: Record<string, unknown>) =>
  office.send<{ id: string }>("POST", "/v1/products", fields);
const customersOf = async (office: Office, search: string) =>
  (
    await office.read<{ data: readonly { id: string; name: string; tax_id: string }[] }>(
      `/v1/customers?search=${search}`,
    )
  ).data;

// ——— Who it is for ———

test("«com contribuinte?»: nine digits make the receipt of a stranger, in at most twenty keys", () =>
  atShop(async ({ page, office }) => {
    await makeProduct(office, { name: "Café", unit_price_gross: 0.9, tax_rate: 13 });
    await begin(page, "?type=FS");
    let keys = await press(page, "2*café", "Enter");
    await rows(page).first().waitFor();
    keys += await press(page, "F2", "234567899", "Enter");
    await at(page, /^Artigo/);
    keys += await press(page, "Control+Enter");
    await dialogOf(page).getByText("Consumidor final · NIF 234567899").waitFor();
    keys += await press(page, "Enter");
    const first = await issued(page, office);
    expect(first.customer).toMatchObject({ name: "Consumidor final", tax_id: "234567899" });
    expect(first.qr_code).toContain("*B:234567899*");
    expect(keys).toBeLessThanOrEqual(20);

    // Left without Enter, and grouped: the number counts all the same, and finds the same customer.
    await begin(page, "?type=FS");
    await press(page, "café", "Enter", "F2", "PT 234 567 899", "Control+Enter");
    await dialogOf(page).waitFor();
    await press(page, "Enter");
    expect((await issued(page, office)).customer).toMatchObject({ tax_id: "234567899" });
    expect(await customersOf(office, "234567899")).toHaveLength(1);
  }));

test("a customer who gave only a number is found again by it once there is a name", () =>
  atShop(async ({ page, office }) => {
    await begin(page, "?type=FS");
    await press(page, "pão", "Enter", "F2", "221234560");
    await press(page, "Tab");
    await press(page, "Control+Enter");
    await dialogOf(page).waitFor();
    await press(page, "Enter");
    const { customer } = await issued(page, office);
    const [made] = await customersOf(office, customer.tax_id ?? "");
    await office.send("PATCH", `/v1/customers/${made?.id}`, { name: "Marta Reis" });
    await begin(page, "?type=FS");
    await press(page, "F2", customer.tax_id ?? "");
    await page.getByRole("option", { name: /Marta Reis/ }).waitFor();
    await press(page, "Enter");
    expect(await page.getByLabel(/^Cliente/).inputValue()).toBe("Marta Reis");
  }));

test("two tills that sell to the same stranger at once make one customer", () =>
  atShop(async ({ page, context, office, allow }) => {
    allow("409 /v1/customers"); // The second waits for the first.
    const other = await context.newPage();
    const tills = [page, other];
    for (const till of tills) {
      await till.bringToFront();
      await begin(till, "?type=FS");
      await press(till, "pão", "Enter", "F2", "210000007", "Enter");
      await press(till, "Control+Enter");
      await dialogOf(till).waitFor();
    }
    await Promise.all(tills.map((till) => till.keyboard.press("Enter")));
    const ids = await Promise.all(tills.map(async (till) => (await issued(till, office)).customer.tax_id));
    expect(new Set(ids)).toEqual(new Set(["210000007"]));
    expect(await customersOf(office, "210000007")).toHaveLength(1);
  }));

test("an e-mail, a phone and a mistyped NIF go into their fields, and a NIF is no name", () =>
  atShop(async ({ page }) => {
    await begin(page, "?type=FT");
    for (const [typed, offer, label] of [
      ["rosa@exemplo.pt", "Criar um cliente com rosa@exemplo.pt", "E-mail"],
      ["912345678", "Criar um cliente com 912345678", "Telefone"],
      ["500000001", "Criar um cliente com NIF 500000001", "NIF"],
      ["245000003", "Criar um cliente com NIF 245000003", "NIF"],
    ]) {
      await press(page, "F2", typed as string);
      await page.getByRole("option", { name: offer as string }).click();
      expect(
        await dialogOf(page)
          .getByLabel(label as string, { exact: true })
          .inputValue(),
      ).toBe(typed);
      expect(await dialogOf(page).getByLabel("Nome").inputValue()).toBe("");
      await press(page, "Escape");
      await dialogOf(page).waitFor({ state: "detached" });
    }
    await press(page, "F2", "Rosa");
    await page.getByRole("option", { name: "Criar o cliente «Rosa»" }).click();
    await dialogOf(page).getByLabel("Nome").fill("234 567 899");
    await press(page, "Enter");
    await dialogOf(page).getByText("Isto é um NIF").waitFor();
  }));

test("a NIF or a name that is there already is shown, and can be taken", () =>
  atShop(async ({ page, office }) => {
    await makeCustomer(office, { name: "Café Aliança", tax_id: "503504564" });
    await begin(page, "?type=FT");
    await press(page, "F2", "Aliança Nova");
    await page.getByRole("option", { name: /Criar o cliente/ }).click();
    const dialog = dialogOf(page);
    await dialog.getByLabel("Nome").fill("café alianca");
    await dialog.getByText("Já existe um cliente com este nome.").waitFor();
    await dialog.getByLabel("Nome").fill("Outro");
    await dialog.getByLabel("NIF", { exact: true }).fill("503504564");
    await dialog.getByText("Este NIF já está na ficha de Café Aliança.").waitFor();
    await dialog.getByRole("button", { name: "Usar esse cliente" }).click();
    expect(await page.getByLabel(/^Cliente/).inputValue()).toBe("Café Aliança");
  }));

test("Escape asks before it discards a half-typed customer", () =>
  atShop(async ({ page }) => {
    await begin(page, "?type=FT");
    await press(page, "F2", "Sara Melo");
    await page.getByRole("option", { name: /Criar o cliente/ }).click();
    await press(page, "Escape"); // Nothing was typed in it yet.
    await dialogOf(page).waitFor({ state: "detached" });
    await press(page, "F2", "Sara Melo");
    await page.getByRole("option", { name: /Criar o cliente/ }).click();
    await dialogOf(page).getByLabel("Localidade").fill("Faro");
    const answers = ["stay", "leave"];
    page.on("dialog", (asked) => (answers.shift() === "leave" ? asked.accept() : asked.dismiss()));
    await press(page, "Escape");
    await expect.poll(() => answers).toEqual(["leave"]);
    expect(await dialogOf(page).getByLabel("Localidade").inputValue()).toBe("Faro");
    await press(page, "Escape");
    await dialogOf(page).waitFor({ state: "detached" });
  }));

// ——— What it costs ———

test("a product of 250 € without VAT costs a foreign business 250 €, with a reason that is asked for", () =>
  atShop(async ({ page, office }) => {
    await makeProduct(office, { name: "Estante", unit_price_net: 250, tax_rate: 23 });
    const fields = { name: "Boulangerie Dupont", tax_id: "FR40303265045", country: "FR" };
    await makeCustomer(office, { ...fields, address: "Rue Haute 1", city: "Lyon" });
    await begin(page, "?type=FT");
    await press(page, "F2", "FR40303265045", "Enter");
    await at(page, /^Artigo/);
    await press(page, "2*estante", "Enter");
    await rows(page).first().waitFor();
    await expect.poll(() => totalOf(page)).toBe("615,00 €");
    await page.getByLabel(/^Taxa de IVA/).selectOption("0");
    await expect.poll(() => totalOf(page)).toBe("500,00 €");
    await page.getByRole("button", { name: "307,50 €: manter o preço" }).click();
    await expect.poll(() => totalOf(page)).toBe("615,00 €");
    await page.getByRole("button", { name: "250,00 €: retirar o IVA" }).click();
    await expect.poll(() => totalOf(page)).toBe("500,00 €");

    await page.getByRole("button", { name: /^Emitir/ }).click();
    await page.getByText("Há um erro numa linha.").waitFor();
    await at(page, /^Motivo da isenção/);
    const reasons = page.getByLabel(/^Motivo da isenção/).locator("option");
    expect((await reasons.allInnerTexts()).slice(1, 3)).toEqual([
      expect.stringContaining("M16"),
      expect.stringContaining("M40"),
    ]);
    await page.getByLabel(/^Motivo da isenção/).selectOption("M16");
    await press(page, "Control+Enter");
    await dialogOf(page).waitFor();
    await press(page, "Enter");
    const made = await issued(page, office);
    expect(made).toMatchObject({ total_gross: 500, lines: [{ unit_price_net: 250, exemption_code: "M16" }] });
  }));

test("a price that was typed with VAT is asked about at 0 %, and nothing is issued before", () =>
  atShop(async ({ page }) => {
    await begin(page, "?type=FS");
    await press(page, "Arranjo");
    await page.getByRole("button", { name: "+ Linha livre" }).click();
    await at(page, /^Preço/);
    await press(page, "123");
    await page.getByLabel(/^Taxa de IVA/).selectOption("0");
    await page.getByText("Os 123,00 € incluíam IVA.").waitFor();
    await page.getByLabel(/^Motivo da isenção/).selectOption("M07");
    await press(page, "Control+Enter");
    await page.getByText("Escolha o preço a 0 %.").waitFor();
    expect(await dialogOf(page).count()).toBe(0);
    await page.getByRole("button", { name: "100,00 €: retirar o IVA" }).click();
    await expect.poll(() => totalOf(page)).toBe("100,00 €");
    await press(page, "Control+Enter");
    await dialogOf(page).waitFor();
  }));

test("a rate that is no longer in force is not offered, and must be changed", () =>
  atShop(async ({ page, office }) => {
    await makeProduct(office, { name: "Serviço antigo", unit_price_net: 25, tax_rate: 20 });
    await begin(page, "?type=FS");
    await press(page, "serviço antigo", "Enter");
    await page.getByText("20 % já não é uma taxa de IVA").waitFor();
    await press(page, "Control+Enter");
    await at(page, /^Taxa de IVA/);
    expect(await dialogOf(page).count()).toBe(0);
    const rate = page.getByLabel(/^Taxa de IVA/);
    expect(await rate.locator("option:not([disabled])").allInnerTexts()).toEqual(
      ["23", "13", "6", "0"].map((rate) => `${rate}\u00a0%`),
    );
    await rate.selectOption("23");
    await press(page, "Control+Enter");
    await dialogOf(page).waitFor();
    await press(page, "Enter");
    expect(await issued(page, office)).toMatchObject({ total_gross: 30.75 });
  }));

test("a discount on everything stands among the totals", () =>
  atShop(async ({ page }) => {
    await begin(page, "?type=FS");
    await press(page, "10*pão", "Enter");
    await rows(page).first().waitFor();
    await page.getByText("Data, desconto, observações…").click();
    await page.getByLabel("Desconto global (%)").fill("33,33");
    const sums = page.locator("aside .sums");
    await sums.getByText("Desconto de 33,33 %").waitFor();
    await sums.getByText("Soma das linhas").waitFor();
    await expect
      .poll(async () => (await sums.innerText()).replaceAll(/\s+/g, " "))
      .toContain("Soma das linhas 11,50 € Desconto de 33,33 % -3,83 €");
    await page.getByLabel(/^Desconto em %/).fill("33,33");
    const isCut = await page.getByLabel(/^Desconto em %/).evaluate((field) => field.scrollWidth > field.clientWidth);
    expect(isCut).toBe(false);
    await page.getByLabel("Desconto global (%)").fill("");
    await sums.getByText("Desconto de 33,33 %").waitFor({ state: "detached" });
    expect(await page.getByLabel("Desconto global (%)").isVisible()).toBe(true);
  }));

// ——— By keyboard ———

test("a quantity is changed, counted and removed by keyboard, and an invalid one is reported", () =>
  atShop(async ({ page, faults }) => {
    await begin(page, "?type=FS");
    await press(page, "2x pão", "Enter");
    await rows(page).first().waitFor();
    const qty = page.getByLabel(/^Quantidade/).first();
    expect(await qty.inputValue()).toBe("2");
    await press(page, "ArrowUp");
    await at(page, /^Quantidade/);
    await press(page, "++-");
    expect(await qty.inputValue()).toBe("3");
    await press(page, "7", "Enter");
    await at(page, /^Artigo/);
    expect(await qty.inputValue()).toBe("7");
    for (const typed of ["-1*pão", "0*pão"]) {
      await press(page, typed, "Enter");
      await page.getByText("A quantidade tem de ser mais do que 0.").waitFor();
      expect(await dialogOf(page).count()).toBe(0);
      await page.getByRole("combobox", { name: /^Artigo/ }).fill("");
    }
    await press(page, "ArrowUp");
    await at(page, /^Quantidade/);
    await press(page, "Delete");
    await expect.poll(() => rows(page).count()).toBe(0);
    expect(faults).toEqual([]);
  }));

test("F4 goes from type to type, and one invoice among receipts changes nothing for the next sale", () =>
  atShop(async ({ page, office }) => {
    await makeCustomer(office, { name: "Gil Vaz", tax_id: "123456789" });
    const chosen = page.locator(".types [aria-pressed=true] strong");
    const sellAs = async (...keys: readonly string[]) => {
      await press(page, ...keys, "Control+Enter");
      await dialogOf(page).waitFor();
      await press(page, "Enter");
      const number = await issuedNumber(page);
      await press(page, "Enter");
      await at(page, /^Artigo/);
      return number;
    };
    await begin(page, "");
    await press(page, "F4");
    expect(await chosen.innerText()).toBe("FT");
    await press(page, "F4", "F4");
    expect(await chosen.innerText()).toBe("FS");
    await press(page, "F4", "F2", "gil", "Enter");
    await at(page, /^Artigo/);
    expect(await sellAs("pão", "Enter")).toMatch(/^FT /);
    expect(await chosen.innerText()).toBe("FS");
    await press(page, "F4", "F2", "gil", "Enter");
    await at(page, /^Artigo/);
    expect(await sellAs("pão", "Enter")).toMatch(/^FT /);
    expect(await chosen.innerText()).toBe("FT"); // Who mostly writes invoices goes on with them.
  }));

test("a letter chooses how it is paid, and Enter issues wherever the focus is", () =>
  atShop(async ({ page, office }) => {
    await begin(page, "?type=FS");
    await press(page, "pão", "Enter", "Control+Enter");
    await at(page, /^Recebido/);
    await press(page, "c", "Enter");
    expect((await issued(page, office)).payments).toMatchObject([{ method_code: "CD", amount: 1.15 }]);

    await begin(page, "?type=FS");
    await press(page, "pão", "Enter", "Control+Enter");
    await at(page, /^Recebido/);
    await dialogOf(page).getByRole("button", { name: "Transferência" }).click();
    await press(page, "Enter");
    expect((await issued(page, office)).payments).toMatchObject([{ method_code: "TB" }]);

    await begin(page, "?type=FS");
    await press(page, "pão", "Enter", "Control+Enter");
    await at(page, /^Recebido/);
    await dialogOf(page).getByRole("button", { name: "Cartão" }).click();
    await press(page, "1"); // Not in a field: the first of the means.
    await dialogOf(page).getByRole("button", { name: "Numerário", pressed: true }).waitFor();
  }));

test("the frequent tasks take fewer keys than they did", () =>
  atShop(async ({ page, office }) => {
    await makeCustomer(office, { name: "Hugo Dias", tax_id: "501964843" });
    await makeProduct(office, { name: "Nata", unit_price_gross: 1.3, tax_rate: 13 });
    const issue = async (...means: readonly string[]) => {
      let keys = await press(page, "Control+Enter");
      await dialogOf(page).waitFor();
      keys += await press(page, ...means, "Enter");
      await issuedNumber(page);
      return keys;
    };
    await begin(page, "?type=FS");
    const cash = (await press(page, "pão", "Enter", "2*nata", "Enter")) + (await issue());
    expect(cash).toBeLessThanOrEqual(15);
    await begin(page, "?type=FS");
    const card = (await press(page, "pão", "Enter", "2*nata", "Enter")) + (await issue("c"));
    expect(card).toBe(cash + 1); // It took 14 more.
    await begin(page, "?type=FS");
    let invoice = await press(page, "F4", "F2", "hugo", "Enter");
    await at(page, /^Artigo/);
    invoice += await press(page, "pão", "Enter", "2*nata", "Enter", "3*pão", "Enter");
    expect(invoice + (await issue())).toBeLessThanOrEqual(35); // It took 37, with F4, Tab and Enter for the type.
  }));

test("of several means one amount is typed, the other is the rest, and the cash has its change", () =>
  atShop(async ({ page, office }) => {
    await begin(page, "?type=FS");
    await press(page, "10*pão", "Enter", "Control+Enter");
    await at(page, /^Recebido/);
    await press(page, "v");
    await at(page, /^Valor, Numerário/);
    await press(page, "4");
    const card = dialogOf(page).getByLabel("Valor, Cartão de débito");
    expect(await card.inputValue()).toBe("7,50");
    await dialogOf(page).getByLabel("Recebido").fill("5");
    await dialogOf(page).locator(".change", { hasText: "1,00" }).waitFor();
    await press(page, "Enter");
    const { payments } = await issued(page, office);
    expect(Object.fromEntries(payments.map(({ method_code, amount }) => [method_code, amount]))).toEqual({
      NU: 4,
      CD: 7.5,
    });
    await page.locator("section.issued .change", { hasText: "1,00" }).waitFor();
  }));

test("the menu begins a new document on the screen of the one just issued", () =>
  atShop(async ({ page }) => {
    await begin(page, "");
    await press(page, "pão", "Enter", "Control+Enter");
    await dialogOf(page).waitFor();
    await press(page, "Enter");
    await issuedNumber(page);
    await page.locator("nav").getByRole("link", { name: "Novo documento" }).click();
    await at(page, /^Artigo/);
    expect(await rows(page).count()).toBe(0);
  }));

// ——— Series, guides, quotations, receipts ———

test("a series without its code from AT issues nothing by Enter, and something by who insists", () =>
  atShop(async ({ page, office }) => {
    const { data } = await office.read<{ data: readonly { id: string; doc_type: string }[] }>("/v1/series?limit=200");
    const usual = data.find(({ doc_type }) => doc_type === "OR");
    await confirm(office);
    await office.send("PATCH", `/v1/series/${usual?.id}`, { status: "closed" });
    const open = { doc_type: "OR", code: `${new Date().getFullYear()}SEM` };
    const { id: series_id } = await office.send<{ id: string }>("POST", "/v1/series", open);
    await makeCustomer(office, { name: "Lia Sá" });
    const issuedInto = async (id: string) =>
      (
        await office.read<{ data: readonly { series_id: string }[] }>(
          "/v1/documents?doc_type=OR&status=issued&limit=200",
        )
      ).data.filter((document) => document.series_id === id).length;
    const write = async () => {
      await begin(page, "?type=OR");
      await press(page, "F2", "lia", "Enter");
      await at(page, /^Artigo/);
      await press(page, "pão", "Enter", "Control+Enter");
      await dialogOf(page).waitFor();
    };
    await write();
    await at(page, /^Pôr o código da AT/);
    await dialogOf(page).getByText("não tem o código da AT").waitFor();
    expect(
      await dialogOf(page)
        .getByRole("button", { name: /^Emitir ⏎/ })
        .count(),
    ).toBe(0);
    await dialogOf(page).getByRole("button", { name: "É formação" }).click();
    await dialogOf(page).getByText("Série de formação").waitFor();
    await press(page, "Enter");
    expect(await issuedNumber(page)).toMatch(/^OR FORM/);
    expect(await issuedInto(series_id)).toBe(0);

    await write();
    await dialogOf(page).getByRole("button", { name: "Emitir sem ATCUD, sei o que faço" }).click();
    await issuedNumber(page);
    expect(await issuedInto(series_id)).toBe(1);
  }));

test("a guide has its places in the open, from both parties, and needs the second", () =>
  atShop(async ({ page, office }) => {
    await makeCustomer(office, { name: "Sem Morada" });
    await makeCustomer(office, {
      name: "Com Morada",
      address: "Largo do Rato 2",
      postal_code: "1250-186",
      city: "Lisboa",
    });
    await begin(page, "?type=GT");
    const places = page.locator(".places fieldset");
    await press(page, "F2", "sem morada", "Enter");
    await at(page, /^Artigo/);
    expect(
      await places
        .first()
        .getByLabel(/^Morada/)
        .inputValue(),
    ).toBe("Rua da Prata 1");
    expect(
      await places
        .last()
        .getByLabel(/^Morada/)
        .inputValue(),
    ).toBe("");
    await press(page, "pão", "Enter");
    await rows(page).first().waitFor();
    await press(page, "Control+Enter");
    await page.getByText("Escreva o local de descarga.").waitFor();
    expect(await dialogOf(page).count()).toBe(0);

    await press(page, "F2", "com morada", "Enter");
    await expect
      .poll(() =>
        places
          .last()
          .getByLabel(/^Morada/)
          .inputValue(),
      )
      .toBe("Largo do Rato 2");
    await page.getByLabel("Matrícula").fill("aa-11-bb");
    await press(page, "Control+Enter");
    await dialogOf(page).waitFor();
    await press(page, "Enter");
    expect((await issued(page, office)).transport).toMatchObject({
      vehicle: "AA-11-BB",
      from: { address: "Rua da Prata 1", city: "Lisboa" },
      to: { address: "Largo do Rato 2", postal_code: "1250-186", city: "Lisboa" },
    });
  }));

/** A document of a type over one loaf, issued without the page. */
async function aDocument(office: Office, doc_type: string, fields: Record<string, unknown>) {
  const series = await office.read<{ data: readonly { id: string }[] }>(`/v1/series?doc_type=${doc_type}&current=true`);
  const lines = [{ description: "Bolo", qty: 1, unit_price_gross: 12.3, tax_rate: 23 }];
  const issue_date = new Intl.DateTimeFormat("en-CA", { timeZone: "Europe/Lisbon" }).format();
  const document = { doc_type, series_id: series.data[0]?.id, issue_date, lines, issue: true, ...fields };
  return office.send<Issued & { number: string }>("POST", "/v1/documents", document);
}

test("a second invoice of a quotation is asked about, and a first is not", () =>
  atShop(async ({ page, office }) => {
    const { id: customer_id } = await makeCustomer(office, { name: "Nuno Paz" });
    const { id } = await aDocument(office, "OR", { customer_id });
    const invoice = async () => {
      await begin(page, `?type=FT&from=${id}`);
      await rows(page).first().waitFor();
      await press(page, "Control+Enter");
    };
    await invoice();
    await dialogOf(page).getByText("Nuno Paz").waitFor();
    await press(page, "Enter");
    const number = await issuedNumber(page);
    await invoice();
    await dialogOf(page).getByText(`Este orçamento já foi faturado: ${number} (12,30`).waitFor();
    await press(page, "Enter"); // Goes nowhere by itself.
    await page.getByText("Este orçamento já foi faturado").waitFor({ state: "detached" });
    expect(await dialogOf(page).count()).toBe(0);
    await press(page, "Control+Enter");
    await dialogOf(page).getByRole("button", { name: "Faturar outra vez?" }).click();
    await dialogOf(page).getByText("Nuno Paz").waitFor();
  }));

test("a debit note begins empty, and a receipt shows what its customer owes", () =>
  atShop(async ({ page, office }) => {
    const { id: customer_id } = await makeCustomer(office, { name: "Olga Reis" });
    const { id, number } = await aDocument(office, "FT", { customer_id });
    await begin(page, `?type=ND&from=${id}`);
    await page.locator(".references li", { hasText: number }).waitFor();
    expect(await rows(page).count()).toBe(0);

    await begin(page, "?type=RC", /^Cliente/);
    await press(page, "olga", "Enter");
    await page.getByRole("option", { name: new RegExp(number) }).waitFor();
    await press(page, "Enter");
    await page.locator(".references li", { hasText: number }).waitFor();
  }));

test("an invoice says when it is due without opening anything", () =>
  atShop(async ({ page }) => {
    await begin(page, "?type=FT");
    expect(await page.getByLabel("Vencimento").isVisible()).toBe(true);
    await begin(page, "?type=FS");
    expect(await page.getByLabel("Vencimento").count()).toBe(0);
  }));

test("without the server the page says that the document is kept", () =>
  atShop(async ({ page, context }) => {
    await begin(page, "?type=FS");
    await press(page, "pão", "Enter");
    await rows(page).first().waitFor();
    await context.setOffline(true);
    await page.getByText("Sem ligação ao servidor. O que está escrito fica nesta página").waitFor();
    await context.setOffline(false);
  }));

// ——— A session that ends ———

/** Signs in over the screen, with the keyboard. */
async function signInAgain(page: Page, login: string): Promise<void> {
  const dialog = dialogOf(page);
  await dialog.getByText("A sessão terminou").waitFor();
  await dialog.getByLabel("E-mail").fill(login);
  await dialog.getByLabel("Palavra-passe").fill(OWNER.password);
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
}

/** Writes two lines and more, and loses the session. */
async function writeAndLose({ page, context, office, allow }: Visitor & { readonly office: Office }): Promise<void> {
  allow("401");
  await makeCustomer(office, { name: "Zita Pó" });
  await begin(page, "?type=FT");
  await press(page, "F2", "zita", "Enter");
  await at(page, /^Artigo/);
  await press(page, "7*pão", "Enter");
  await rows(page).first().waitFor();
  await page.locator("td.price input").fill("1,10");
  await page.getByLabel("Vencimento").fill("2031-01-31");
  await context.clearCookies();
  await page.getByRole("combobox", { name: /^Artigo/ }).focus();
  await press(page, "p");
}

test("the document is still there after signing in over it, and can be issued", () =>
  atShop(async (visitor) => {
    const { page, office } = visitor;
    await writeAndLose(visitor);
    await signInAgain(page, OWNER.login);
    await page.getByRole("combobox", { name: /^Artigo/ }).fill("");
    expect(await page.getByLabel(/^Quantidade/).inputValue()).toBe("7");
    await press(page, "Control+Enter");
    await dialogOf(page).getByText("Zita Pó").waitFor();
    await press(page, "Enter");
    expect(await issued(page, office)).toMatchObject({ total_gross: 7.7, customer: { name: "Zita Pó" } });
  }));

test("it also survives a reload, and comes back once", () =>
  atShop(async (visitor) => {
    const { page } = visitor;
    page.on("dialog", (asked) => asked.accept());
    await writeAndLose(visitor);
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Entrar" }).waitFor();
    await page.getByLabel("E-mail").fill(OWNER.login);
    await page.getByLabel("Palavra-passe").fill(OWNER.password);
    await press(page, "Enter");
    await rows(page).first().waitFor();
    expect(await page.getByLabel(/^Quantidade/).inputValue()).toBe("7");
    expect(await page.locator("td.price input").inputValue()).toBe("1,10");
    expect(await page.getByLabel("Vencimento").inputValue()).toBe("2031-01-31");
    expect(await page.getByLabel(/^Cliente/).inputValue()).toBe("Zita Pó");
    expect(
      await page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.startsWith("lacre.writing"))),
    ).toEqual([]);
  }));

test("somebody else who signs in does not find it", async () => {
  await addUser(home.shop, home.cookies, "cashier");
  await atShop(async (visitor) => {
    const { page } = visitor;
    await writeAndLose(visitor);
    await signInAgain(page, "cashier@padaria.pt");
    await page.getByText("Carla Neves").waitFor();
    await at(page, /^Artigo/);
    expect(await rows(page).count()).toBe(0);
    await page.reload();
    await at(page, /^Artigo/);
    expect(await rows(page).count()).toBe(0);
    expect(
      await page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.startsWith("lacre.writing"))),
    ).toEqual([]);
  });
});
