/** Files that the server answers, such as a printed document: opened beside the page, or saved. */
import type { AnsweredFile } from "./api.ts";
import { texts } from "./texts.ts";

const t = texts({ preparing: ["A preparar o documento…", "Preparing the document…"] });

/** How long an opened file can be read again by its window, in milliseconds. */
const KEPT_MS = 600_000;

function addressOf(blob: Blob): string {
  const address = URL.createObjectURL(blob);
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MS);
  return address;
}

/**
 * Opens a file in a window of its own, from which it can be printed. Call it in the handler of a click: the window
 * opens before the file is asked for, as browsers block one that opens later. Where they block it all the same, the
 * file is saved. Rejects as `read` does, and closes the window then.
 */
export async function openFile(read: () => Promise<AnsweredFile>): Promise<void> {
  const shown = window.open("");
  if (shown) shown.document.body.textContent = t.preparing;
  try {
    const file = await read();
    if (shown && !shown.closed) shown.location.replace(addressOf(file.blob));
    else if (!shown) saveFile(file);
  } catch (error) {
    shown?.close();
    throw error;
  }
}

/** Saves a file where the browser keeps what it downloads. */
export function saveFile({ name, blob }: AnsweredFile): void {
  const link = document.createElement("a");
  link.href = addressOf(blob);
  link.download = name;
  link.click();
}
