/** What the refusals and notices of this room say. */
import { texts } from "../texts/texts.ts";

export const t = texts({
  tax_id_in_use: [
    "Há {count|outro cliente|outros clientes} com este número de contribuinte.",
    "{count|Another customer has|Other customers have} this tax number.",
  ],
  customer_external_id_in_use: [
    "Há {count|outro cliente|outros clientes} com este external_id.",
    "{count|Another customer has|Other customers have} this external_id.",
  ],
  sku_in_use: [
    "Há {count|outro artigo|outros artigos} com este código.",
    "{count|Another product has|Other products have} this sku.",
  ],
  product_external_id_in_use: [
    "Há {count|outro artigo|outros artigos} com este external_id.",
    "{count|Another product has|Other products have} this external_id.",
  ],
  till_number_in_use: [
    "Há {count|outro artigo|outros artigos} com este número de caixa.",
    "{count|Another product has|Other products have} this till number.",
  ],
  no_such_customer: ["Esse cliente não existe.", "There is no such customer."],
  has_too_many_names: ["não pode ter mais de {max} {max|nome|nomes}", "must have at most {max} names"],
  must_be_metadata_name: [
    "não é um nome de 1 a 40 letras sem acentos, algarismos e _ . -",
    "is not a name of 1 to 40 letters, digits and _ . -",
  ],
  is_tax_id: [
    "é um número de contribuinte e não um nome: indique-o em tax_id",
    "is a tax number, not a name: put it in tax_id",
  ],
  customer_tax_id_is_fixed: [
    "O cliente tem documentos: o NIF já não muda (Despacho 8632/2014, 3.3.3). Crie outro cliente.",
    "The customer has documents: its tax number is fixed (Despacho 8632/2014, 3.3.3). Create another customer.",
  ],
  customer_name_is_fixed: [
    "O cliente tem documentos e não tem NIF: enquanto não o tiver, o nome não muda (Despacho 8632/2014, 3.3.4).",
    "The customer has documents and no tax number: its name is fixed until it has one (Despacho 8632/2014, 3.3.4).",
  ],
  must_have_one_code: [
    "tem de ter sku ou external_id, e só um deles",
    "must have sku or external_id, and only one of them",
  ],
  // A preview says them, too, before it is so.
  customer_found: ["O cliente já existe; a ficha fica como está.", "The customer exists already, and stays as it is."],
  customer_changed: [
    "O documento altera a ficha do cliente: {fields:list}.",
    "The document changes the customer: {fields:list}.",
  ],
  customer_created: ["O documento cria a ficha do cliente.", "The document creates the customer."],
  no_such_product: ["Esse artigo não existe.", "There is no such product."],
  product_name_is_fixed: [
    "O artigo tem documentos: o nome já não muda (Despacho 8632/2014, 3.3.5). Crie outro artigo.",
    "The product has documents: its name is fixed (Despacho 8632/2014, 3.3.5). Create another product.",
  ],
});
