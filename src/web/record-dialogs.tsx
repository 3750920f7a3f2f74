/** The dialogs that create, change and archive a customer or a product. */
import type { ComponentChildren } from "preact";
import { Dialog, FormDialog, openDialog } from "./dialog.tsx";
import { announce } from "./notice.tsx";

interface Words {
  readonly new: string;
  readonly change: string;
  readonly saved: string;
  readonly archive: string;
  readonly archive_question: (values: { readonly name: string }) => string;
  readonly archived: string;
}

/** What the form of a record calls at the end. */
interface Done<Row> {
  readonly onSaved: (saved: Row) => void;
  readonly onCancel: () => void;
  readonly onArchive: (row: Row) => void;
}

interface RecordDialogs<Row> {
  readonly words: Words;
  readonly form: (row: Row | undefined, done: Done<Row>) => ComponentChildren;
  readonly archive: (given: { readonly id: string }) => Promise<unknown>;
  readonly class?: string;
  readonly onSaved: (saved: Row) => void;
  readonly onArchived: () => void;
}

/** Opens the dialog that changes or creates a record; it leads to the one that archives it. */
export function editRecord<Row extends { readonly id: string; readonly name: string }>(
  row: Row | undefined,
  { words, form, archive, class: name = "", onSaved, onArchived }: RecordDialogs<Row>,
): void {
  const archived = () => {
    announce(words.archived);
    onArchived();
  };
  const onArchive = ({ id, name }: Row) =>
    openDialog(
      <FormDialog title={words.archive} change={() => archive({ id })} onDone={archived}>
        <p>{words.archive_question({ name })}</p>
      </FormDialog>,
    );
  const close = openDialog(
    <Dialog title={row ? words.change : words.new} class={name} keeps>
      {form(row, {
        onSaved: (saved) => {
          close();
          announce(words.saved);
          onSaved(saved);
        },
        onCancel: () => close(),
        onArchive,
      })}
    </Dialog>,
  );
}
