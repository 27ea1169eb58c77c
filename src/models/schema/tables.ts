// Derives the schema from contracts: tables, columns, link tables, indexes, checks and foreign keys of a
// registry.
import { present } from '../../kit/present.ts'
import { literal, quote, raw, sql } from '../../sql/index.ts'
import type { FieldDef, Many2manyDef, Many2oneDef, ModelDef, Registry } from '../language/definitions.ts'
import { leadsToOne, linkOf } from '../language/field-options.ts'
import type { Unit } from '../language/unit.ts'
import { constraintName, fitName, foreignKeyName, uniqueIndexName } from '../row/thing-names.ts'

export interface Column {
  readonly name: string
  readonly type: string
  readonly notNull: boolean
}
export interface Table {
  readonly name: string
  /** Link tables have no id. */
  readonly link: boolean
  readonly columns: readonly Column[]
}
/** An index or a constraint: created if absent, replaced if its definition changed. */
export interface Thing {
  readonly name: string
  readonly table: string
  readonly kind: 'index' | 'constraint'
  readonly definition: string
}

export interface Schema {
  readonly tables: readonly Table[]
  readonly things: readonly Thing[]
  /** Added after the data of a new database: the first records refer to each other. */
  readonly foreignKeys: readonly Thing[]
}

export function schemaOf(registry: Registry): Schema {
  const tables = new Map<string, Table>()
  const things: Thing[] = []
  const foreignKeys: Thing[] = []
  for (const model of registry.models.values()) {
    if (!model.hasTable) continue
    const fields = [...model.fields.values()].filter((f) => f.column && f.name !== 'id')
    tables.set(model.table, { name: model.table, link: false, columns: fields.map(columnOf) })
    for (const field of fields) {
      things.push(...indexesOf(model, field))
      // A JSON object of values by company cannot have a foreign key (row/company-values.ts clears it).
      if (leadsToOne(field) && field.comodel?.hasTable && !field.options.companyDependent)
        foreignKeys.push(foreignKey(model.table, field.name, field.comodel.table, onDelete(field)))
    }
    things.push(...rulesOf(model))
    for (const field of model.fields.values())
      if (field.link && field.stored && !field.inherited) linkTable(field, tables, things, foreignKeys)
  }
  return { tables: [...tables.values()], things, foreignKeys }
}

function columnOf(field: FieldDef): Column {
  const json = field.translate || field.options.companyDependent
  // Unset numbers and booleans stay NULL and read as 0 and false. Computed columns are filled after the
  // insert.
  const must = field.required && !field.compute && !field.type.filled
  return { name: field.name, type: json ? 'jsonb' : present(field.type.columnType(field)), notNull: must }
}

function indexesOf(model: ModelDef, field: FieldDef): Thing[] {
  const on = `${quote(model.table)}`
  const name = (suffix: string) => fitName(`${model.table}_${field.name}_${suffix}`)
  const indexOf = (indexName: string, definition: string): Thing[] => [
    { name: indexName, table: model.table, kind: 'index', definition },
  ]
  const index = field.options.index
  if (index && field.options.companyDependent) {
    return indexOf(
      name('gin'),
      `INDEX %name ON ${on} USING gin (${quote(field.name)} jsonb_path_ops) WITH (gin_pending_list_limit = 512)`,
    )
  }
  if (index === 'trigram') {
    // Translated texts fall back to this language. Only searches in it use the index.
    const text = field.translate ? `((${quote(field.name)}->>'en_US'))` : quote(field.name)
    // Every search reads the list of pending entries (limit in kilobytes), so it is kept short.
    return indexOf(
      name('trgm'),
      `INDEX %name ON ${on} USING gin (${text} gin_trgm_ops) WITH (gin_pending_list_limit = 512)`,
    )
  }
  if (index === 'unique') {
    return indexOf(uniqueIndexName(field), `UNIQUE INDEX %name ON ${on} (${quote(field.name)})`)
  }
  const pattern = field.name === 'parent_path' ? ' text_pattern_ops' : ''
  const log = field.name === 'create_uid' || field.name === 'write_uid'
  const back = leadsToOne(field) && !log && needsIndex(field)
  // A lookup of the inverse starts from a target, so NULLs are not needed.
  const where =
    index === 'set' || (!index && back && !field.required) ? ` WHERE ${quote(field.name)} IS NOT NULL` : ''
  const wanted = index === true || index === 'set' || pattern !== '' || back
  return wanted && !(pattern === '' && beginsAnIndex(model, field))
    ? indexOf(name('idx'), `INDEX %name ON ${on} (${quote(field.name)}${pattern})${where}`)
    : []
}

/**
 * Whether a constraint or index of the table has an index over all rows that begins with the column,
 * which makes another one redundant.
 */
function beginsAnIndex(model: ModelDef, field: FieldDef): boolean {
  if (field.translate || field.kind === 'boolean') return false
  for (const rule of model.rules.values()) {
    const columns = 'unique' in rule ? rule.unique : 'index' in rule ? rule.index : []
    if (columns[0]?.split(' ')[0] === field.name && !('where' in rule && rule.where)) return true
  }
  return false
}

/** Whether a many2one is looked up by its target: by one2manys, or when a target is deleted. */
function needsIndex(field: Many2oneDef): boolean {
  if (field.options.companyDependent) return false
  const back = [...field.comodel.fields.values()].some(
    (f) => f.kind === 'one2many' && f.inverse === field.name && f.comodel === field.model,
  )
  return back || field.name === field.model.parent || onDelete(field) !== 'SET NULL'
}

function onDelete(field: Many2oneDef): string {
  return (field.options.ondelete ?? (field.required ? 'restrict' : 'set null')).toUpperCase()
}

function foreignKey(table: string, column: string, target: string, ondelete: string): Thing {
  const name = foreignKeyName(table, column)
  return {
    name,
    table,
    kind: 'constraint',
    definition: `FOREIGN KEY (${quote(column)}) REFERENCES ${quote(target)}("id") ON DELETE ${ondelete}`,
  }
}

function rulesOf(model: ModelDef): Thing[] {
  return [...model.rules].map(([rule, body]): Thing => {
    const name = constraintName(model, rule)
    const on = quote(model.table)
    if ('check' in body)
      return { name, table: model.table, kind: 'constraint', definition: `CHECK (${body.check})` }
    const where = body.where ? ` WHERE ${body.where}` : ''
    if ('uniqueExpression' in body)
      return {
        name,
        table: model.table,
        kind: 'index',
        definition: `UNIQUE INDEX %name ON ${on} (${body.uniqueExpression})${where}`,
      }
    const unique = 'unique' in body
    const columns = unique ? body.unique : body.index
    const list = columns.map((text) => {
      const [column = text, direction = ''] = text.split(' ')
      const field = model.fields.get(column)
      // As in orders: an unset boolean equals false.
      if (!unique && field?.kind === 'boolean') return `(COALESCE(${quote(column)}, FALSE)) ${direction}`
      // Translated values must be unique in the base language.
      return `${field?.translate ? `((${quote(column)}->>'en_US'))` : quote(column)} ${direction}`.trimEnd()
    })
    const included = unique ? [] : (body.include ?? [])
    const include = included.length ? ` INCLUDE (${included.map(quote).join(', ')})` : ''
    return {
      name,
      table: model.table,
      kind: 'index',
      definition: `${unique ? 'UNIQUE ' : ''}INDEX %name ON ${on} (${list.join(', ')})${include}${where}`,
    }
  })
}

function linkTable(
  field: Many2manyDef,
  tables: Map<string, Table>,
  things: Thing[],
  foreignKeys: Thing[],
): void {
  const { table, column, other } = linkOf(field)
  if (tables.has(table)) return
  const integer = (name: string): Column => ({ name, type: 'int4', notNull: true })
  tables.set(table, { name: table, link: true, columns: [integer(column), integer(other)] })
  things.push(
    {
      name: fitName(`${table}_pkey`),
      table,
      kind: 'constraint',
      definition: `PRIMARY KEY (${quote(column)}, ${quote(other)})`,
    },
    {
      name: fitName(`${table}_${other}_idx`),
      table,
      kind: 'index',
      definition: `INDEX %name ON ${quote(table)} (${quote(other)}, ${quote(column)})`,
    },
  )
  foreignKeys.push(foreignKey(table, column, field.model.table, 'CASCADE'))
  const target = field.comodel
  if (target.hasTable) foreignKeys.push(foreignKey(table, other, target.table, 'CASCADE'))
}

// Versions of tables with lookup caches on nodes (read/short/dictionary.ts). Every statement that
// changes such a table inserts a random mark in its transaction. The sum of the marks that a snapshot
// sees is the version: two snapshots with the same marks see the same rows. Marks are inserted and not
// updated, so that no transaction waits for another.

/** A mark is random instead of a counter: databases with different histories get different sums. */
const table = `CREATE TABLE IF NOT EXISTS dictionary_changes (
  table_name text NOT NULL,
  mark bigint NOT NULL DEFAULT 1 + floor(random() * 1e12)::bigint
)`
const index = 'CREATE INDEX IF NOT EXISTS dictionary_changes_table ON dictionary_changes (table_name, mark)'

/**
 * From time to time the marks of a table are merged into one with their sum, which keeps the version.
 * One transaction at a time tries, and stops on a conflict.
 */
const note = `CREATE OR REPLACE FUNCTION comptoir_dictionary_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO dictionary_changes (table_name) VALUES (TG_TABLE_NAME);
  IF random() < 0.02 AND pg_try_advisory_xact_lock(hashtextextended('dictionary_changes', 0)) THEN
    BEGIN
      WITH gone AS (DELETE FROM dictionary_changes WHERE table_name = TG_TABLE_NAME RETURNING mark)
      INSERT INTO dictionary_changes (table_name, mark) SELECT TG_TABLE_NAME, sum(mark) FROM gone;
    EXCEPTION WHEN serialization_failure THEN NULL;
    END;
  END IF;
  RETURN NULL;
END$$`

/** Creates the missing parts for the models of a registry. Idempotent. Complete tables are not locked. */
export async function applyDictionaries(unit: Unit, { models }: Registry): Promise<void> {
  const rows = await unit.query<[string | null]>(
    sql`SELECT tgrelid::regclass::text FROM pg_trigger WHERE tgname = 'dictionary_changed' UNION ALL SELECT to_regclass('dictionary_changes_table')::text`,
  )
  const existing = new Set(rows.map(([name]) => name))
  const statements = existing.has('dictionary_changes_table') ? [note] : [table, index, note]
  for (const model of models.values()) {
    if (!model.options.dictionary || !model.hasTable || existing.has(model.table)) continue
    const name = literal(model.table).compile().text
    statements.push(
      `INSERT INTO dictionary_changes (table_name) SELECT ${name} WHERE NOT EXISTS (SELECT FROM dictionary_changes WHERE table_name = ${name})`,
      `CREATE OR REPLACE TRIGGER dictionary_changed AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON ${quote(model.table)}
        FOR EACH STATEMENT EXECUTE FUNCTION comptoir_dictionary_changed()`,
    )
  }
  for (const statement of statements) await unit.query(raw(statement))
}
