/** Products: found, made, changed, archived. */
import { useSignal } from "@preact/signals";
import type { Product } from "../../core/face.ts";
import { lacre } from "../api.ts";
import { number, percent, unitPrice } from "../decimals.ts";
import { ConfirmDialog, Dialog } from "../dialog.tsx";
import { Check } from "../form.tsx";
import { texts } from "../language.ts";
import { announce } from "../notice.tsx";
import { Page } from "../page.tsx";
import { pricesWithVat, shownPrice } from "../prices.ts";
import { ProductForm } from "../product-form.tsx";
import { Empty, Loaded, useResource } from "../resource.tsx";
import { search, setSearch } from "../router.ts";
import { can } from "../session.ts";
import { Pager, Table } from "../table.tsx";

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

const LIMIT = 50;

export function Screen() {
  const editing = useSignal<Product | "new" | undefined>(undefined);
  const archiving = useSignal<Product | undefined>(undefined);
  const products = useResource((signal) => {
    const wanted = search.value.get("search") ?? undefined;
    const offset = Number(search.value.get("offset") ?? 0);
    return lacre.products.list({ search: wanted, limit: LIMIT, offset }, { signal });
  });
  const mayWrite = can("products:write");
  const edit = (product: Product | "new" | undefined) => () => {
    editing.value = product;
  };
  const close = edit(undefined);
  const done = (said: string) => {
    editing.value = undefined;
    archiving.value = undefined;
    announce(said);
    products.reload();
  };
  const archive = async () => {
    if (archiving.value) await lacre.products.archive({ id: archiving.value.id });
  };
  return (
    <Page
      title={t.title}
      actions={
        mayWrite && (
          <button type="button" class="main" onClick={edit("new")}>
            {t.new}
          </button>
        )
      }
    >
      <search class="filters">
        <input
          type="search"
          aria-label={t.search}
          placeholder={t.search}
          value={search.value.get("search") ?? ""}
          onInput={(event) => setSearch({ search: event.currentTarget.value, offset: undefined })}
        />
        <Check label={t.with_vat} value={pricesWithVat} />
      </search>
      <Loaded from={products}>
        {({ data, pagination }) =>
          data.length === 0 ? (
            search.value.get("search") ? (
              <Empty title={t.nothing} />
            ) : (
              <Empty title={t.none}>
                <p>{t.none_hint}</p>
              </Empty>
            )
          ) : (
            <div class="sheet">
              <Table
                caption={t.title}
                keyOf={({ id }) => id}
                rows={data}
                columns={[
                  {
                    title: t.name,
                    cell: ({ name, sku, type }) => (
                      <>
                        {name}
                        {(sku || type === "S") && (
                          <small>{[sku, type === "S" && t.service].filter(Boolean).join(" · ")}</small>
                        )}
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
                    cell: (product) =>
                      mayWrite && (
                        <button type="button" onClick={edit(product)}>
                          {t.edit}
                          <span class="unseen"> {product.name}</span>
                        </button>
                      ),
                  },
                ]}
              />
              <Pager pagination={pagination} onMove={(offset) => setSearch({ offset: String(offset || "") })} />
            </div>
          )
        }
      </Loaded>
      {editing.value && (
        <Dialog title={editing.value === "new" ? t.new : t.change} onClose={close}>
          <ProductForm
            product={editing.value === "new" ? undefined : editing.value}
            onSaved={() => done(t.saved)}
            onCancel={close}
            onArchive={(product) => {
              editing.value = undefined;
              archiving.value = product;
            }}
          />
        </Dialog>
      )}
      {archiving.value && (
        <ConfirmDialog
          title={t.archive}
          confirm={t.archive}
          change={archive}
          onClose={() => {
            archiving.value = undefined;
          }}
          onDone={() => done(t.archived)}
        >
          <p>{t.archive_question({ name: archiving.value.name })}</p>
        </ConfirmDialog>
      )}
    </Page>
  );
}
