/** Tags of resources, as `ETag` and `If-Match` have them. */

/** The tag of a customer, a product or a document as it was answered: pass it to a change as `if_match`. */
export async function etagOf(resource: object): Promise<string> {
  const json = JSON.stringify({ ...resource, notices: undefined }); // those of a change's answer are no part of it
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(json));
  const base64 = btoa(String.fromCharCode(...new Uint8Array(digest)));
  return `"${base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}"`;
}
