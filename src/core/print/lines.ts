/** The lines of a document as a table. */

import { amount, quantity } from "../texts/format.ts";
import type { Steps } from "./canvas.ts";
import { descriptionOf, lineCents, lineDiscount, lineRate, unitPrice } from "./facts.ts";
import type { Layout } from "./layout.ts";
import type { PrintableLine } from "./printable.ts";
import { type Column, descriptionColumn, numberColumn, textColumn, writeTable } from "./table.ts";
import { isPriced, isTaxed, showsGrossPrices } from "./traits.ts";

/** Writes the lines, and leaves their sum in `carried`. */
export function* writeLines(layout: Layout): Steps {
  const { document } = layout;
  yield* writeTable(layout, columnsOf(layout), document.lines, (carried, line) =>
    isPriced(document) ? (carried ?? 0) + lineCents(document, line) : carried,
  );
}

/** The columns of a document, in order. */
function columnsOf(layout: Layout): Column<PrintableLine>[] {
  const { document, labels, lang } = layout;
  const { lines } = document;
  const hasCodes = lines.some((line) => line.product_code);
  const code = (line: PrintableLine) => line.product_code ?? "";
  const columns: Column<PrintableLine>[] = [
    ...(hasCodes ? [{ ...textColumn(labels.code, code, 62), role: "code" as const }] : []),
    descriptionColumn(
      labels.description,
      (line) => descriptionOf(layout, line, true),
      (line) => descriptionOf(layout, line, false),
    ),
    numberColumn(labels.quantity, (line) => quantity(line.qty_micros, lang), true),
    textColumn(labels.unit, (line) => line.unit, 34),
  ];
  if (!isPriced(document)) return columns;
  const isGross = showsGrossPrices(document);
  columns.push(numberColumn(isGross ? labels.price_gross : labels.price, (line) => unitPrice(layout, line), true));
  if (lines.some((line) => line.discount_bps > 0 || line.discount_cents !== null)) {
    columns.push(numberColumn(labels.discount, (line) => lineDiscount(layout, line)));
  }
  if (isTaxed(document)) {
    columns.push(numberColumn(labels.tax, (line) => lineRate(layout, line)));
  }
  columns.push(numberColumn(isGross ? labels.gross : labels.net, (line) => amount(lineCents(document, line), lang)));
  return columns;
}
