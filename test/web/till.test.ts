/** The money of a till: what is paid by which means, the change, and what keeps a document from being issued. */
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { DOC_TYPES, DOCUMENT_TYPES } from "../../src/core/fiscal/document-types.ts";
import { CASH_LIMIT_CENTS } from "../../src/core/fiscal/payment-means.ts";
import type * as Till from "../../src/web/document/till.ts";
import type { language as Language } from "../../src/web/words/language.ts";
import { ownStore } from "./support/store.ts";

type Choice = Till.Choice;
type Due = Till.Due;
type Share = Till.Share;

let till: typeof Till;
let language: typeof Language;

beforeAll(async () => {
  ownStore();
  till = await import("../../src/web/document/till.ts");
  ({ language } = await import("../../src/web/words/language.ts"));
});

beforeEach(() => {
  language.value = "pt";
});

const due = (doc_type: Due["doc_type"], total_cents: number): Due => ({ doc_type, total_cents });
const by = (means: Choice["means"]): Choice => ({ means, shares: undefined });
const typed = (code: Share["code"], amount: string): Share => ({ code, amount, isTyped: true });
const split = (...shares: readonly Share[]): Choice => ({ means: "NU", shares });
const cash = (total_cents: number, received: string) => till.tillOf(due("FS", total_cents), by("NU"), received);
const amounts = (shares: readonly Share[]) => shares.map(({ code, amount }) => `${code} ${amount}`);

describe("the initial choice", () => {
  test.each([
    ["FS", "NU"],
    ["FR", "NU"],
    ["RC", "NU"],
    ["FT", undefined],
  ] as const)("%s begins with %s", (doc_type, means) => {
    expect(till.firstChoice(due(doc_type, 100), [])).toEqual(by(means));
  });

  test("a type that takes no payment at issue, and a document of nothing, begin with none and pay nothing", () => {
    const others = DOC_TYPES.filter((type) => !DOCUMENT_TYPES[type].takes_payments_at_issue);
    expect(others).toContain("NC");
    for (const one of [...others.map((type) => due(type, 100)), due("FS", 0), due("FR", 0)]) {
      expect(till.takesPayments(one)).toBe(false);
      expect(till.firstChoice(one, [])).toEqual(by(undefined));
      expect(till.tillOf(one, by("NU"), "5")).toMatchObject({
        payments: [],
        isSaid: false,
        cash_cents: 0,
        left_cents: 0,
        handed: { given_cents: 0, change_cents: 0 },
        isBlocked: false,
      });
    }
  });

  test("a draft keeps the means it was saved with, one or several", () => {
    expect(till.firstChoice(due("FT", 100), [{ method_code: "MB", amount: 1 }])).toEqual(by("MB"));
    const several = till.firstChoice(due("FS", 1_250), [
      { method_code: "CD", amount: 10 },
      { method_code: "NU", amount: 2.5 },
    ]);
    expect(several).toEqual({ means: "CD", shares: [typed("CD", "10,00"), typed("NU", "2,50")] });
  });
});

describe("one means", () => {
  test.each(["NU", "CD", "MB", "TB", "CH"] as const)("%s pays all of it", (means) => {
    expect(till.tillOf(due("FT", 1_999), by(means), "")).toMatchObject({
      payments: [{ method_code: means, amount: 19.99 }],
      isSaid: true,
      left_cents: 0,
      isBlocked: false,
    });
  });

  test("an invoice that is paid later leaves all of it, and may be issued", () => {
    expect(till.tillOf(due("FT", 1_999), by(undefined), "")).toMatchObject({
      payments: [],
      isSaid: false,
      left_cents: 1_999,
      isBlocked: false,
    });
  });

  test("a receipt that does not say how it was paid leaves nothing to be paid", () => {
    expect(till.tillOf(due("RC", 10_000), by(undefined), "")).toMatchObject({
      payments: [],
      isSaid: false,
      left_cents: 0,
      isBlocked: false,
    });
    expect(till.tillOf(due("RC", 10_000), by("TB"), "").payments).toEqual([{ method_code: "TB", amount: 100 }]);
  });
});

describe("cash", () => {
  test("Enter alone is the exact sum: nothing is handed over, and there is no change", () => {
    for (const received of ["", "  "]) {
      expect(cash(115, received)).toMatchObject({
        handed: { given_cents: 0, change_cents: 0 },
        change_cents: 0,
        isShort: false,
        isBlocked: false,
      });
    }
  });

  test.each([
    ["2", 200, 85],
    ["1,15", 115, 0],
    ["20.00", 2_000, 1_885],
    ["1 000", 100_000, 99_885],
    ["50 €", 5_000, 4_885],
  ])("%s handed over for 1.15 gives its change", (received, given_cents, change_cents) => {
    expect(cash(115, received)).toMatchObject({
      payments: [{ method_code: "NU", amount: 1.15 }],
      handed: { given_cents, change_cents },
      change_cents,
      isShort: false,
      isBlocked: false,
    });
  });

  test("too little cash handed over blocks, and says by how much", () => {
    expect(cash(115, "1,14")).toMatchObject({ change_cents: -1, isShort: true, isBlocked: true });
    expect(cash(115, "0")).toMatchObject({ change_cents: -115, isShort: true, isBlocked: true });
  });

  test.each(["x", "-5", "1,155", "1.234", "2,0,0", "1000000000001"])(
    "%s handed over means nothing, and blocks",
    (received) => {
      expect(cash(115, received)).toMatchObject({
        handed: { given_cents: 0, change_cents: 0 },
        change_cents: 0,
        isShort: true,
        isBlocked: true,
      });
    },
  );

  test("the same digits are read in the language of the page", () => {
    language.value = "en";
    expect(cash(115, "1.234")).toMatchObject({ isShort: true }); // Three decimals of a euro are none.
    expect(cash(115, "1,234.00")).toMatchObject({ change_cents: 123_285, isBlocked: false });
  });

  test("if nothing is paid in cash, the text in its field neither blocks nor is handed over", () => {
    for (const received of ["1", "x", "500"]) {
      expect(till.tillOf(due("FS", 1_000), by("CD"), received)).toMatchObject({
        cash_cents: 0,
        handed: { given_cents: 0, change_cents: 0 },
        isShort: false,
        isBlocked: false,
      });
    }
  });

  test("the sum that the law lets nobody pay in cash is not stopped at the till: it depends on who pays", () => {
    for (const total_cents of [CASH_LIMIT_CENTS - 1, CASH_LIMIT_CENTS, CASH_LIMIT_CENTS * 10]) {
      expect(cash(total_cents, "")).toMatchObject({ cash_cents: total_cents, isBlocked: false });
    }
  });
});

describe("several means", () => {
  test("change is given only of the cash, and not of the card's share", () => {
    const sale = due("FS", 3_000);
    const choice = split(typed("CD", "20"), typed("NU", "10"));
    expect(till.tillOf(sale, choice, "15")).toMatchObject({
      payments: [
        { method_code: "CD", amount: 20 },
        { method_code: "NU", amount: 10 },
      ],
      cash_cents: 1_000,
      handed: { given_cents: 1_500, change_cents: 500 },
      isBlocked: false,
    });
    expect(till.tillOf(sale, choice, "9,99")).toMatchObject({ change_cents: -1, isBlocked: true });
  });

  test("an invoice-receipt that they do not pay in full is blocked, as it says that it was paid", () => {
    const of = (total_cents: number) => till.tillOf(due("FR", total_cents), split(typed("CD", "60")), "");
    expect(of(10_000)).toMatchObject({ left_cents: 4_000, isUnderpaid: true, isBlocked: true });
    expect(of(6_000)).toMatchObject({ left_cents: 0, isUnderpaid: false, isBlocked: false });
  });

  test("cash in two shares is one sum of cash", () => {
    expect(till.tillOf(due("FS", 3_000), split(typed("NU", "10"), typed("NU", "20")), "50")).toMatchObject({
      cash_cents: 3_000,
      change_cents: 2_000,
    });
  });

  test("one cent above the total blocks, and one below is left to be paid", () => {
    const of = (amount: string) => till.tillOf(due("FT", 3_000), split(typed("CD", "20"), typed("MB", amount)), "");
    expect(of("10,01")).toMatchObject({ over_cents: 1, left_cents: 0, isBlocked: true });
    expect(of("10,00")).toMatchObject({ over_cents: 0, left_cents: 0, isBlocked: false });
    expect(of("9,99")).toMatchObject({ over_cents: 0, left_cents: 1, isBlocked: false });
  });

  test("a share that is empty or 0 is no payment; one that means nothing blocks", () => {
    const of = (amount: string) => till.tillOf(due("FT", 3_000), split(typed("CD", "20"), typed("NU", amount)), "");
    for (const amount of ["", " ", "0"]) {
      expect(of(amount)).toMatchObject({
        payments: [{ method_code: "CD", amount: 20 }],
        cash_cents: 0,
        left_cents: 1_000,
        isUnreadable: false,
        isBlocked: false,
      });
    }
    expect(of("ten")).toMatchObject({ isUnreadable: true, left_cents: 0, isBlocked: true });
    expect(of("0,001")).toMatchObject({ isUnreadable: true, isBlocked: true });
  });

  test("means are said even while all of them pay nothing", () => {
    expect(till.tillOf(due("RC", 3_000), split(typed("CD", "0"), typed("NU", "")), "")).toMatchObject({
      payments: [],
      isSaid: true,
    });
  });

  test("a draft whose total went to nothing has its shares too much", () => {
    const before = [
      { method_code: "CD", amount: 1 },
      { method_code: "NU", amount: 1 },
    ] as const;
    const choice = till.firstChoice(due("FS", 0), before);
    expect(till.tillOf(due("FS", 0), choice, "")).toMatchObject({ over_cents: 200, isBlocked: true });
  });

  test("cents add up exactly where euros as fractions do not", () => {
    const choice = split(typed("CD", "0,10"), typed("MB", "0,20"));
    expect(0.1 + 0.2 === 0.3).toBe(false);
    expect(till.tillOf(due("FT", 30), choice, "")).toMatchObject({ over_cents: 0, left_cents: 0, isBlocked: false });
  });
});

describe("amounts that nobody typed", () => {
  test("splitting begins with the means that was chosen, and another for all of it", () => {
    expect(amounts(till.sharedFrom(3_000, undefined))).toEqual(["NU ", "CD 30,00"]);
    expect(amounts(till.sharedFrom(3_000, "MB"))).toEqual(["MB ", "CD 30,00"]);
    expect(amounts(till.sharedFrom(3_000, "CD"))).toEqual(["CD ", "NU 30,00"]);
  });

  test("the only one is the rest of the others, and never below 0", () => {
    const begun = till.sharedFrom(3_000, "NU");
    const of = (amount: string) => amounts(till.withAmount(3_000, begun, 0, amount));
    expect(of("10")).toEqual(["NU 10", "CD 20,00"]);
    expect(of("40")).toEqual(["NU 40", "CD 0,00"]);
    expect(of("x")).toEqual(["NU x", "CD 30,00"]);
  });

  test("a typed amount stays, whatever the others add up to", () => {
    const both = till.withAmount(3_000, till.withAmount(3_000, till.sharedFrom(3_000, "NU"), 0, "10"), 1, "5");
    expect(amounts(both)).toEqual(["NU 10", "CD 5"]);
    expect(amounts(till.withAmount(3_000, both, 0, "12"))).toEqual(["NU 12", "CD 5"]);
  });

  test("another share takes the rest; two untyped ones stay unchanged", () => {
    const both = [typed("NU", "10"), typed("MB", "5")];
    const three = till.withAnother(3_000, both);
    expect(amounts(three)).toEqual(["NU 10", "MB 5", "CD 15,00"]);
    expect(amounts(till.withAmount(3_000, three, 0, "20"))).toEqual(["NU 20", "MB 5", "CD 5,00"]);
    const four = till.withAnother(3_000, three);
    expect(amounts(till.withAmount(3_000, four, 0, "20"))).toEqual(["NU 20", "MB 5", "CD 15,00", "CD 0,00"]);
  });

  test("without a share, the one that nobody typed takes its part", () => {
    const three = till.withAnother(3_000, [typed("NU", "10"), typed("MB", "5")]);
    expect(amounts(till.withoutShare(3_000, three, 0))).toEqual(["MB 5", "CD 25,00"]);
    expect(amounts(till.withoutShare(3_000, three, 2))).toEqual(["NU 10", "MB 5"]);
  });

  test("another means leaves the amounts", () => {
    expect(amounts(till.withMeans([typed("NU", "10"), typed("MB", "5")], 1, "CH"))).toEqual(["NU 10", "CH 5"]);
  });
});

describe("a series that lacks its code", () => {
  const series = { training: false, validation_code: null, next_number: 1 };
  test.each([
    ["that has no code before its first document", series, false, true],
    ["that has its code", { ...series, validation_code: "AAJFFYW4D8" }, false, false],
    ["that has documents already", { ...series, next_number: 2 }, false, false],
    ["of training", { ...series, training: true }, false, false],
    ["of a document that may be issued already", series, true, false],
    ["that is not known", undefined, false, false],
  ])("one %s", (_, given, isUnknown, lacks) => {
    expect(till.lacksCode(given, isUnknown)).toBe(lacks);
  });
});

describe("the payments of a receipt", () => {
  const debts = [
    { id: "a", open_cents: 1_000 },
    { id: "b", open_cents: 2_000 },
  ];

  test("money settles debts in order, and each part keeps its means", () => {
    const payments = [
      { method_code: "NU", amount: 15 },
      { method_code: "CD", amount: 15 },
    ] as const;
    expect(till.settlementOf(debts, payments)).toEqual([
      { id: "a", method_code: "NU", amount: 10 },
      { id: "b", method_code: "NU", amount: 5 },
      { id: "b", method_code: "CD", amount: 15 },
    ]);
  });

  test("money beyond all debts settles nothing more, and if it is short the last is left open", () => {
    expect(till.settlementOf(debts, [{ method_code: "TB", amount: 99.99 }])).toEqual([
      { id: "a", method_code: "TB", amount: 10 },
      { id: "b", method_code: "TB", amount: 20 },
    ]);
    expect(till.settlementOf(debts, [{ method_code: "TB", amount: 9.99 }])).toEqual([
      { id: "a", method_code: "TB", amount: 9.99 },
    ]);
  });

  test("a document without debt takes nothing, and a receipt without means settles nothing", () => {
    expect(
      till.settlementOf([{ id: "a", open_cents: 0 }, ...debts.slice(1)], [{ method_code: "NU", amount: 5 }]),
    ).toEqual([{ id: "b", method_code: "NU", amount: 5 }]);
    expect(till.settlementOf(debts, [])).toEqual([]);
  });
});
