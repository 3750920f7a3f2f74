/** Short messages that say what has just happened; a screen reader speaks them. */
import { signal } from "@preact/signals";

const SHOWN_MS = 6_000;

const message = signal("");
let timer: ReturnType<typeof setTimeout> | undefined;

/** Says something for a moment. */
export function announce(text: string): void {
  clearTimeout(timer);
  message.value = text;
  timer = setTimeout(() => {
    message.value = "";
  }, SHOWN_MS);
}

/** The place where messages appear; drawn once. */
export function Announcements() {
  return (
    <div class="announcements" role="status" aria-live="polite">
      {message.value && <p>{message.value}</p>}
    </div>
  );
}
