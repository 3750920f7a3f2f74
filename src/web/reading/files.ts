/** Files from the server, such as a printed document: printed, opened beside the page, or saved. */
import { useEffect } from "preact/hooks";
import { texts } from "../words/texts.ts";
import type { AnsweredFile } from "./api.ts";

const t = texts({ preparing: ["A preparar o documento…", "Preparing the document…"] });

/** How long an opened file stays readable for its window, in milliseconds. */
const KEPT_MS = 600_000;

function addressOf(blob: Blob): string {
  const address = URL.createObjectURL(blob);
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MS);
  return address;
}

/**
 * Opens a file in a window of its own, from which it can be printed. Call it in the handler of a click: the window
 * opens before the file is requested, as browsers block later ones. If the browser blocks it anyway, the file is saved.
 * Rejects as `read` does, after closing the window.
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

/** The frame of the last print, which the browser may still read. */
let printed: HTMLIFrameElement | undefined;

/**
 * Prints a file from a hidden frame: only the browser's dialog remains to be answered, if it shows one. A browser that
 * cannot do so gets a window, as with `openFile`. Rejects as `read` does.
 */
export async function printFile(read: () => Promise<AnsweredFile>): Promise<void> {
  if (!navigator.pdfViewerEnabled) return openFile(read);
  const file = await read();
  printed?.remove();
  const frame = document.createElement("iframe");
  printed = frame;
  frame.className = "printed";
  frame.title = file.name;
  frame.tabIndex = -1;
  frame.ariaHidden = "true";
  frame.src = addressOf(file.blob);
  const shown = new Promise((resolve) => {
    frame.onload = resolve;
  });
  document.body.append(frame);
  await shown;
  try {
    frame.contentWindow?.print();
  } catch {
    // Firefox shows it in a frame of another origin.
    frame.remove();
    if (!window.open(frame.src)) saveFile(file);
  }
}

/** Makes Ctrl+P print a screen's document instead of the screen. */
export function usePrintKey(print: (() => unknown) | undefined): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (!print || !(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "p") return;
      event.preventDefault();
      print();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  });
}

/** Saves a file to the browser's downloads. */
export function saveFile({ name, blob }: AnsweredFile): void {
  const link = document.createElement("a");
  link.href = addressOf(blob);
  link.download = name;
  link.click();
}
