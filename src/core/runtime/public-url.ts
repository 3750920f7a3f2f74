/** The address at which others reach an installation: `https://loja.pt/faturas`. */

const BASE_PATH = /^(?:\/(?!\.)[\w.-]+)*$/;

/** Whether a text is a plain path such as `/billing`, or empty. */
export function isBasePath(text: string): boolean {
  return text.length <= 200 && BASE_PATH.test(text);
}

/** The parts of a public address. Throws TypeError, with a sentence for people, if the text is not one. */
export function publicAddress(text: string): { readonly origin: string; readonly host: string; readonly path: string } {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const path = url?.pathname.replace(/\/$/, "") ?? "";
  const isPlain = url && /^https?:$/.test(url.protocol) && !(url.username || url.password || url.search || url.hash);
  if (!isPlain || !isBasePath(path)) throw new TypeError(`${text} is no address such as https://loja.pt/faturas.`);
  return { origin: url.origin, host: url.host, path };
}
