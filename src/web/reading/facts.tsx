/** Facts about something, each with its name. */
import { type ComponentChildren, Fragment } from "preact";

/** Facts with their names; unknown ones are left out. */
export const Facts = ({ rows }: { readonly rows: readonly (readonly [name: string, fact: ComponentChildren])[] }) => (
  <dl class="facts">
    {rows.map(
      ([name, fact]) =>
        fact && (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{fact}</dd>
          </Fragment>
        ),
    )}
  </dl>
);
