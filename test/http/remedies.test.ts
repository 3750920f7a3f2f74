import { expect, test } from "vitest";
import { LacreError, type Remedy } from "../../src/core/runtime/errors.ts";
import { textWithCommands, withRequest } from "../../src/http/remedies.ts";

const WHERE = "Commands are typed on the machine Lacre runs on, with the --db that it serves.";

test.each<[Remedy, atTerminal: string, answered: string]>([
  [{ to: "answer_for_changes" }, "Do it: lacre verify.", `Do it: lacre verify. ${WHERE}`],
  [{ to: "confirm_clock" }, "Do it: lacre clock confirm.", `Do it: lacre clock confirm. ${WHERE}`],
  [
    { to: "confirm_long_pause" },
    "Do it: lacre clock confirm.",
    `Do it: in the company area, or lacre clock confirm. ${WHERE}`,
  ],
  [{ to: "confirm_numbers" }, "Do it: lacre restore --status.", `Do it: lacre restore --status. ${WHERE}`],
  [{ to: "import_at_server" }, "Do it: lacre import-saft.", `Do it: lacre import-saft. ${WHERE}`],
  [{ to: "open_series" }, "Do it: lacre series open.", `Do it: lacre series open. ${WHERE}`],
  [
    { to: "open_with_key" },
    "Do it: lacre serve --signing-key FILE.",
    `Do it: lacre serve --signing-key FILE. ${WHERE}`,
  ],
  [{ to: "reset_user" }, "Do it: lacre user reset.", `Do it: lacre user reset. ${WHERE}`],
  [{ to: "name_company" }, "Do it.", "Do it: in the header Lacre-Company."],
  [{ to: "set_customer" }, "Do it.", "Do it: PATCH /v1/customers/{id}."],
  [{ to: "take_other_file" }, "Do it.", "Do it."],
  [{ to: "use_other_build" }, "Do it.", "Do it."],
  [{ to: "confirm_lost", numbers: ["FT A/7"] }, "Do it.", "Do it."],
  [
    { to: "set_company", fields: ["address", "postal_code"] },
    "Do it: lacre company set --address TEXT --postal-code TEXT.",
    `Do it: lacre company set --address TEXT --postal-code TEXT. ${WHERE}`,
  ],
  [
    { to: "open_other_series", doc_type: "FT" },
    "Do it: lacre series create --doc-type FT --code CODE.",
    `Do it: lacre series create --doc-type FT --code CODE. ${WHERE}`,
  ],
  [
    { to: "register_series", series: "FT A" },
    'Do it: lacre series register "FT A" CODE.',
    `Do it: PATCH /v1/series/{id}, or lacre series register "FT A" CODE. ${WHERE}`,
  ],
])("what to do is told at each door: %o", (remedy, atTerminal, answered) => {
  const text = { in: () => "Do it." };
  expect(textWithCommands(new LacreError("conflict", [{ path: "", text, remedy }]), "en")).toBe(atTerminal);
  expect(withRequest({ path: "", text, remedy }, "en")).toBe(answered);
});

test("in Portuguese commands and requests are the same, and their values have Portuguese names", () => {
  const text = { in: () => "Faça isso." };
  const remedy = { to: "register_series", series: "FT A" } as const;
  expect(withRequest({ path: "", text, remedy }, "pt")).toBe(
    'Faça isso: PATCH /v1/series/{id} ou lacre series register "FT A" CÓDIGO. Os comandos escrevem-se no computador do ' +
      "Lacre, com o --db que ele serve.",
  );
});
