/** The filters of a list, stored in the address; the days of a period, and the button that removes all filters. */
import { Button } from "../button.tsx";
import { search, setSearch } from "../router.ts";
import { texts } from "../words/texts.ts";

const t = texts({
  from: ["De", "From"],
  to: ["Até", "To"],
  clear: ["Limpar filtros", "Clear filters"],
});

/** The address's values under these names. */
export const filterShown = <Name extends string>(names: readonly Name[]): Partial<Record<Name, string>> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = search.value.get(name);
      return value ? [[name, value]] : [];
    }),
  ) as Partial<Record<Name, string>>;

/** The first and the last listed day, both included; stored in the address. */
export function PeriodFields() {
  return (["from", "to"] as const).map((name) => (
    <label key={name} class="labelled">
      {t[name]}
      <input
        type="date"
        value={search.value.get(name) ?? ""}
        onChange={(event) => setSearch({ [name]: event.currentTarget.value, offset: undefined })}
      />
    </label>
  ));
}

/** Removes the filters of these names from the address. */
export function ClearFilters({ names }: { readonly names: readonly string[] }) {
  return (
    <Button
      label={t.clear}
      class="plain"
      onClick={() => setSearch(Object.fromEntries([...names, "offset"].map((name) => [name, undefined])))}
    />
  );
}
