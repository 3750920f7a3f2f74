/** Reads what a schema on a PostgreSQL server consists of. */
import { sql } from "kysely";
import type { Thing } from "./catalogue.ts";
import { asText, preparedSelect } from "./prepared.ts";

/**
 * The things of a schema's tables, and its functions. Conditions are as the server writes them, without table names, so
 * that a search path changes nothing; of a function it returns the SHA-256 of its text without the schema. Indexes
 * belong to no table here, so that only a missing or changed one is a fault: whoever runs the server may add one.
 */
export const thingsOf = preparedSelect((db, { schema }: { schema: string }) =>
  asText(
    db,
    sql<Thing>`
      with own as (
        select oid, relname from pg_class where relnamespace = to_regnamespace(${schema}) and relkind in ('r', 'p')
      ), part as (
        select own.oid, relname, attnum, attname, atttypid, atttypmod, attnotnull, attcollation, attidentity
        from own join pg_attribute on attrelid = own.oid where attnum > 0 and not attisdropped
      )
      select 'table ' || relname as name, relname as table, '' as text from own
      union all
      select 'column ' || relname || '.' || attname, relname, concat_ws(' ', format_type(atttypid, atttypmod),
        case when attnotnull then 'not null' end,
        'default ' || (select pg_get_expr(adbin, adrelid) from pg_attrdef where adrelid = part.oid and adnum = attnum),
        'collate ' || (select collname from pg_collation where pg_collation.oid = attcollation),
        case when attidentity <> '' then 'identity ' || attidentity::text end)
      from part
      union all
      select 'constraint ' || conname, own.relname, concat_ws(' ', contype::text,
        (select string_agg(attname, ', ' order by nth) from unnest(conkey) with ordinality as key (number, nth)
          join part on part.oid = conrelid and attnum = number),
        'references ' || (select relname from pg_class where pg_class.oid = confrelid),
        (select string_agg(attname, ', ' order by nth) from unnest(confkey) with ordinality as key (number, nth)
          join part on part.oid = confrelid and attnum = number),
        case when contype = 'f' then concat(confupdtype, confdeltype, confmatchtype) end,
        case when condeferred then 'deferred' end, case when not convalidated then 'not valid' end,
        pg_get_expr(conbin, conrelid))
      from own join pg_constraint on conrelid = own.oid where contype in ('c', 'f', 'p', 'u', 'x')
      union all
      select 'index ' || entry.relname, '', concat_ws(' ', case when indisunique then 'unique' end,
        case when not indisvalid then 'not valid' end, (select amname from pg_am where pg_am.oid = entry.relam),
        (select string_agg(coalesce(attname::text, 'expression') || case when direction > 0 then ' ' || direction else '' end,
            ', ' order by nth)
          from unnest(indkey::smallint[], indoption::smallint[]) with ordinality as key (number, direction, nth)
          left join part on part.oid = indrelid and attnum = number),
        pg_get_expr(indexprs, indrelid), 'where ' || pg_get_expr(indpred, indrelid), array_to_string(entry.reloptions, ', '))
      from own join pg_index on indrelid = own.oid join pg_class as entry on entry.oid = indexrelid
      union all
      select 'trigger ' || tgname, own.relname, concat_ws(' ', proname, tgtype::text, tgenabled::text,
        (select string_agg(attname, ', ' order by nth) from unnest(tgattr::smallint[]) with ordinality as key (number, nth)
          join part on part.oid = tgrelid and attnum = number), pg_get_expr(tgqual, tgrelid))
      from own join pg_trigger on tgrelid = own.oid join pg_proc on pg_proc.oid = tgfoid where not tgisinternal
      union all
      select 'function ' || proname, '', concat_ws(' ', lanname, case when prosecdef then 'definer' end,
        array_to_string(proconfig, ', '),
        encode(sha256(convert_to(replace(prosrc, ${schema} || '.', ''), 'UTF8')), 'hex'))
      from pg_proc join pg_language on pg_language.oid = prolang where pronamespace = to_regnamespace(${schema})`,
  ),
);
