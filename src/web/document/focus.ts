/** Where the focus goes next while a document is written. */

/** The ids of the fields that find a customer, products, and referenced documents. */
export const CUSTOMER_FIELD = "customer-field";
export const PRODUCT_FIELD = "product-field";
export const REFERENCE_FIELD = "reference-field";

/** Focuses the customer, ready for another name. */
export function focusCustomer(): void {
  const field = document.getElementById(CUSTOMER_FIELD);
  if (!(field instanceof HTMLInputElement)) return;
  field.focus();
  field.select();
}

/** Focuses the field that finds products. */
export function focusProducts(): void {
  document.getElementById(PRODUCT_FIELD)?.focus();
  keepInSight();
}

/** Focuses what comes after the customer: products, or a receipt's documents. */
export function focusNext(): void {
  if (document.getElementById(PRODUCT_FIELD)) focusProducts();
  else document.getElementById(REFERENCE_FIELD)?.focus();
}

/** Focuses the quantity of a line; below the last line, the field that adds lines. */
export function focusQuantity(index: number): void {
  const fields = document.querySelectorAll<HTMLInputElement>("table.lines td.quantity input");
  if (index >= fields.length) focusProducts();
  else fields[Math.max(index, 0)]?.focus();
}

/** Focuses the first field of the screen with a problem. Returns whether there is one. */
export function focusFirstProblem(): boolean {
  const wrong = document.querySelector<HTMLElement>("main [aria-invalid=true]");
  wrong?.focus();
  return wrong !== null;
}

/** Keeps the field of products in view, if it has the focus, once the lines above it are drawn. */
export function keepInSight(): void {
  requestAnimationFrame(() => {
    const field = document.getElementById(PRODUCT_FIELD);
    if (field === document.activeElement) field?.scrollIntoView({ block: "nearest" });
  });
}
