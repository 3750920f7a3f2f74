/** Short messages about what has just happened; a screen reader speaks them. */
import { signal } from "@preact/signals";

const SHOWN_MS = 6_000;

const message = signal("");
let timer: ReturnType<typeof setTimeout> | undefined;

/** Shows a message for a moment. */
export function announce(text: string): void {
  clearTimeout(timer);
  message.value = text;
  timer = setTimeout(() => {
    message.value = "";
  }, SHOWN_MS);
}

const whispered = signal("");

/** Tells a screen reader what other people can see. */
export function whisper(text: string): void {
  // The same words again are spoken again.
  whispered.value = whispered.value === text ? `${text}\u00a0` : text;
}

/** The place where messages appear; drawn once. */
export function Announcements() {
  return (
    <div class="announcements" role="status" aria-live="polite">
      {message.value && <p>{message.value}</p>}
      <span class="unseen">{whispered.value}</span>
    </div>
  );
}
