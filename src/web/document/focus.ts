/** Where the keys go next while a document is written. */

/** The ids of the fields that find a customer, products, and documents to name. */
export const CUSTOMER_FIELD = "customer-field";
export const PRODUCT_FIELD = "product-field";
export const REFERENCE_FIELD = "reference-field";

/** Goes to the customer, ready for another name. */
export function focusCustomer(): void {
  const field = document.getElementById(CUSTOMER_FIELD);
  if (!(field instanceof HTMLInputElement)) return;
  field.focus();
  field.select();
}

/** Goes to the field that finds products. */
export function focusProducts(): void {
  document.getElementById(PRODUCT_FIELD)?.focus();
  keepInSight();
}

/** Goes to what comes after the customer: products, or on a receipt the documents it is for. */
export function focusNext(): void {
  if (document.getElementById(PRODUCT_FIELD)) focusProducts();
  else document.getElementById(REFERENCE_FIELD)?.focus();
}

/** Goes to the quantity of a line; below the last line, to the field that adds to them. */
export function focusQuantity(index: number): void {
  const fields = document.querySelectorAll<HTMLInputElement>("table.lines td.quantity input");
  if (index >= fields.length) focusProducts();
  else fields[Math.max(index, 0)]?.focus();
}

/** Goes to the first field of the screen with a problem. Tells whether there is one. */
export function focusFirstProblem(): boolean {
  const wrong = document.querySelector<HTMLElement>("main [aria-invalid=true]");
  wrong?.focus();
  return wrong !== null;
}

/** Keeps the field of products in sight, for who is in it, once the lines above it are drawn. */
export function keepInSight(): void {
  requestAnimationFrame(() => {
    const field = document.getElementById(PRODUCT_FIELD);
    if (field === document.activeElement) field?.scrollIntoView({ block: "nearest" });
  });
}
