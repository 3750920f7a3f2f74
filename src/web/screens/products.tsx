/** Products: searched, created, changed, archived. */
import type { Product } from "../../core/face.ts";
import { Button } from "../button.tsx";
import { Check } from "../fields/form.tsx";
import { ProductForm } from "../fields/product-form.tsx";
import { Page } from "../page.tsx";
import { pricesWithVat, shownPrice } from "../prices.ts";
import { lacre } from "../reading/api.ts";
import { List, SearchField, searched, useList } from "../reading/list.tsx";
import { editRecord } from "../record-dialogs.tsx";
import { can } from "../session.ts";
import { number, percent, unitPrice } from "../words/decimals.ts";
import { texts } from "../words/texts.ts";

const t = texts({
  title: ["Artigos", "Products"],
  new: ["Novo artigo", "New product"],
  change: ["Alterar artigo", "Change product"],
  edit: ["Alterar", "Change"],
  search: ["Procurar por nome ou código", "Find by name or code"],
  with_vat: ["Mostrar preços com IVA", "Show prices with VAT"],
  name: ["Artigo", "Product"],
  price_with_vat: ["Preço com IVA", "Price with VAT"],
  price_without_vat: ["Preço sem IVA", "Price without VAT"],
  tax: ["IVA", "VAT"],
  stock: ["Stock", "Stock"],
  service: ["serviço", "service"],
  actions: ["Ações", "Actions"],
  none: ["Ainda não há artigos.", "There are no products yet."],
  none_hint: [
    "Crie o primeiro aqui, ou escreva o nome dele numa fatura: fica criado ali mesmo.",
    "Make the first one here, or type its name on an invoice: it is made there.",
  ],
  nothing: ["Nenhum artigo corresponde à procura.", "No product fits."],
  saved: ["Artigo guardado.", "Product saved."],
  archive: ["Arquivar artigo", "Archive product"],
  archive_question: [
    "Arquivar {name}? Deixa de aparecer nas listas; os documentos já emitidos ficam como estão.",
    "Archive {name}? Lists no longer show it; documents stay as they are.",
  ],
  archived: ["Artigo arquivado.", "Product archived."],
});

export function Screen() {
  const products = useList((page, signal) =>
    lacre.products.list({ search: searched(), sort: "name", ...page }, { signal }),
  );
  const mayWrite = can("products:write");
  const edit = (product?: Product) =>
    editRecord(product, {
      words: t,
      form: (product, done) => <ProductForm product={product} {...done} />,
      archive: lacre.products.archive,
      onSaved: products.reload,
      onArchived: products.reload,
    });
  return (
    <Page title={t.title} actions={mayWrite && <Button label={t.new} class="main" onClick={() => edit()} />}>
      <search class="filters">
        <SearchField label={t.search} />
        <Check label={t.with_vat} value={pricesWithVat} />
      </search>
      <List
        title={t.title}
        from={products}
        none={t.none}
        nothing={searched() && t.nothing}
        keyOf={({ id }) => id}
        columns={[
          {
            title: t.name,
            cell: ({ name, sku, type }) => (
              <>
                {name}
                {(sku || type === "S") && <small>{[sku, type === "S" && t.service].filter(Boolean).join(" · ")}</small>}
              </>
            ),
          },
          {
            title: pricesWithVat.value ? t.price_with_vat : t.price_without_vat,
            kind: "number",
            cell: ({ unit_price_net, tax_rate, unit }) => (
              <span>
                {unitPrice(shownPrice(unit_price_net, tax_rate))}
                {unit !== "un" && <span class="soft">{` / ${unit}`}</span>}
              </span>
            ),
          },
          { title: t.tax, kind: "number", cell: ({ tax_rate }) => percent(tax_rate) },
          {
            title: t.stock,
            kind: "number",
            cell: ({ stock }) => stock !== null && number(stock),
          },
          {
            title: t.actions,
            kind: "actions",
            cell: (product) => mayWrite && <Button label={t.edit} of={product.name} onClick={() => edit(product)} />,
          },
        ]}
      >
        <p>{t.none_hint}</p>
      </List>
    </Page>
  );
}
