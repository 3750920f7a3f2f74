/** Reads what a schema in a SQLite file consists of. */
import { sql } from "kysely";
import type { Thing } from "./catalogue.ts";
import { asText, preparedSelect } from "./prepared.ts";

/**
 * The things of all tables and views, except the tables in which SQLite keeps a full-text search. What no pragma
 * reports (checks, conditions, when a foreign key is checked, what a trigger does) is in the text that SQLite stores of
 * each: it is equal where the same statements made it.
 */
export const thingsOf = preparedSelect((db, _: object) =>
  asText(
    db,
    sql<Thing>`
      with own as (
        select name, type, strict, wr from pragma_table_list
        where schema = 'main' and type <> 'shadow' and name not like 'sqlite_%'
      )
      select 'table ' || own.name as name, own.name as "table",
        concat_ws(' ', own.type, iif(strict, 'strict', null), iif(wr, 'without rowid', null), kept.sql) as text
      from own join sqlite_schema as kept on kept.name = own.name
      union all
      select 'column ' || own.name || '.' || each.name, own.name,
        concat_ws(' ', lower(each.type), iif(each."notnull" or each.pk, 'not null', null), 'default ' || dflt_value)
      from own join pragma_table_xinfo(own.name) as each where own.type = 'table'
      union all
      select 'foreign key ' || own.name || '.' || group_concat(each."from", ', '), own.name,
        concat_ws(' ', each."table", group_concat(each."to", ', '))
      from own join pragma_foreign_key_list(own.name) as each group by own.name, each.id
      union all
      select 'index ' || each.name, own.name, concat_ws(' ', iif(each."unique", 'unique', null), each.origin, (
          select group_concat(coalesce(part.name, 'expression') || iif(part."desc", ' desc', '') || iif(part.coll = 'BINARY', '', part.coll), ', ')
          from pragma_index_xinfo(each.name) as part where part.key
        ), kept.sql)
      from own join pragma_index_list(own.name) as each left join sqlite_schema as kept on kept.name = each.name
      union all
      select 'trigger ' || name, tbl_name, sql from sqlite_schema where type = 'trigger'`,
  ),
);
