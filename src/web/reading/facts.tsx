/** What is known of something: each fact with its name. */
import { type ComponentChildren, Fragment } from "preact";

/** Facts with their names; those that are not known are left out. */
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
