// Chains in the database itself: triggers seal records when their transaction commits, whatever code
// wrote them, and prevent changes of sealed records, links and heads.

import { CHAIN_START, linkHashSql } from '../../kit/chain.ts'
import { quote, raw } from '../../sql/index.ts'
import type { Registry } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import {
  contentOf,
  defOf,
  inSealedState,
  linkHeader,
  literal,
  PENDING,
  type SealedPart,
  type SealedRecords,
  sealedColumns,
  sealedLinks,
  seriesOf,
} from './sealed.ts'

const header = linkHeader({
  model: 'chain_model',
  id: 'chain_record',
  series: 'chain_series',
  position: '(c.position + 1)',
  time: 'sealed_at',
  ofModel: 'sealed_model',
  ofId: 'sealed_id',
  name: 'sealed_name',
})

/** The constraint whose message a refusal gets (`comptoir.chain.link`). */
const REFUSAL = "USING ERRCODE = 'check_violation', CONSTRAINT = 'comptoir_chain_link_sealed'"

/**
 * Idempotent statements for the tables of chains. If two transactions seal in one chain at once, the
 * second is repeated: it does not see the head of the first.
 */
const tableStatements: readonly string[] = [
  `CREATE OR REPLACE FUNCTION comptoir_chain_seal(chain_model text, chain_record int, chain_series text,
      sealed_model text, sealed_id int, sealed_name text, content text) RETURNS text LANGUAGE plpgsql AS $$
    DECLARE head int; place int; after text; sealed_at timestamp;
    BEGIN
      sealed_at := clock_timestamp() AT TIME ZONE 'UTC';
      LOOP
        UPDATE comptoir_chain c SET position = c.position + 1, hash = ${linkHashSql('c.hash', `(${header} || content)`)}
          WHERE c.res_model = chain_model AND c.res_id = chain_record AND c.series = chain_series
          RETURNING c.id, c.position, c.hash INTO head, place, after;
        EXIT WHEN FOUND;
        INSERT INTO comptoir_chain (res_model, res_id, series, position, hash)
          VALUES (chain_model, chain_record, chain_series, 0, '${CHAIN_START}') ON CONFLICT DO NOTHING;
      END LOOP;
      INSERT INTO comptoir_chain_link (chain_id, position, time, res_model, res_id, name, hash)
        VALUES (head, place, sealed_at, sealed_model, sealed_id, sealed_name, after);
      RETURN after;
    END $$`,
  `CREATE OR REPLACE FUNCTION comptoir_chain_kept() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'Chains of sealed records can only grow' ${REFUSAL};
    END $$`,
  `CREATE OR REPLACE TRIGGER only_grows BEFORE UPDATE ON comptoir_chain FOR EACH ROW
    WHEN (NEW.id <> OLD.id OR NEW.res_model <> OLD.res_model OR NEW.res_id <> OLD.res_id
      OR NEW.series IS DISTINCT FROM OLD.series OR NEW.position <> OLD.position + 1) EXECUTE FUNCTION comptoir_chain_kept()`,
  `CREATE OR REPLACE TRIGGER stays BEFORE DELETE OR TRUNCATE ON comptoir_chain FOR EACH STATEMENT EXECUTE FUNCTION comptoir_chain_kept()`,
  `CREATE OR REPLACE TRIGGER stays BEFORE UPDATE OR DELETE OR TRUNCATE ON comptoir_chain_link FOR EACH STATEMENT EXECUTE FUNCTION comptoir_chain_kept()`,
]

const isLinked = (model: string, id: string) =>
  `EXISTS (SELECT FROM comptoir_chain_link k WHERE k.res_model = ${literal(model)} AND k.res_id = ${id})`

/** The function that seals a record, or all of its chain, and the triggers that call it at COMMIT. */
function sealing(registry: Registry, sealed: SealedRecords): string[] {
  const { model, chain, series, marked } = sealed
  const { table } = defOf(registry, model)
  const rows = marked
    ? `${table} e JOIN ${table} r ON r.${quote(chain.by)} = e.${quote(chain.by)} AND r.${quote(marked.field)} = '${PENDING}'
          ${series ? `AND r.${quote(series)} IS NOT DISTINCT FROM e.${quote(series)}` : ''}
          WHERE e.id = NEW.id AND e.${quote(marked.field)} = '${PENDING}' AND ${inSealedState('r', sealed)}
          ORDER BY r.${quote(marked.order)}, r.id`
    : `${table} r WHERE r.id = NEW.id AND r.${quote(chain.by)} IS NOT NULL AND ${inSealedState('r', sealed)} AND NOT ${isLinked(model, 'r.id')}`
  const keep = marked ? `UPDATE ${table} SET ${quote(marked.field)} = sealed_hash WHERE id = sealed.id;` : ''
  const when = marked ? `NEW.${quote(marked.field)} = '${PENDING}'` : inSealedState('NEW', sealed)
  const fresh = marked ? '' : `(${inSealedState('OLD', sealed)}) IS NOT TRUE AND `
  const call = `DEFERRABLE INITIALLY DEFERRED FOR EACH ROW`
  return [
    `CREATE OR REPLACE FUNCTION ${table}_seal() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE sealed record; sealed_hash text;
      BEGIN
        FOR sealed IN SELECT r.id, r.name, r.${quote(chain.by)} AS owner, ${seriesOf(sealed, 'r')} AS series, ${contentOf(registry, sealed, 'r')} AS content
          FROM ${rows} LOOP
          sealed_hash := comptoir_chain_seal(${literal(chain.model)}, sealed.owner, sealed.series, ${literal(model)}, sealed.id, sealed.name, sealed.content);
          ${keep}
        END LOOP;
        RETURN NULL;
      END $$`,
    `DROP TRIGGER IF EXISTS seal_made ON ${table}`,
    `CREATE CONSTRAINT TRIGGER seal_made AFTER INSERT ON ${table} ${call} WHEN (${when}) EXECUTE FUNCTION ${table}_seal()`,
    `DROP TRIGGER IF EXISTS seal ON ${table}`,
    `CREATE CONSTRAINT TRIGGER seal AFTER UPDATE ON ${table} ${call} WHEN (${fresh}${when}) EXECUTE FUNCTION ${table}_seal()`,
  ]
}

const SEALED = `RAISE EXCEPTION 'A sealed record stays as it is' ${REFUSAL}`
/** Links are deleted with the record at their other end, so that record cannot be deleted. */
const REFERRED = `RAISE EXCEPTION 'delete on table of what sealed records refer to' USING ERRCODE = 'foreign_key_violation'`

/** A function that refuses a change if the record that `idOf` names is sealed, before or after it. */
function refusing(
  name: string,
  model: string,
  idOf: (row: 'OLD' | 'NEW') => string,
  before: string = SEALED,
): string {
  return `CREATE OR REPLACE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF TG_OP <> 'INSERT' THEN
          IF ${isLinked(model, idOf('OLD'))} THEN ${before}; END IF;
        END IF;
        IF TG_OP <> 'DELETE' THEN
          IF ${isLinked(model, idOf('NEW'))} THEN ${SEALED}; END IF;
          RETURN NEW;
        END IF;
        RETURN OLD;
      END $$`
}

const row = (columns: readonly string[], of: 'OLD' | 'NEW'): string =>
  columns.map((column) => `${of}.${quote(column)}`).join(', ')

const changes = (columns: readonly string[]): string =>
  `(${row(columns, 'OLD')}) IS DISTINCT FROM (${row(columns, 'NEW')})`

function keptRecords(registry: Registry, sealed: SealedRecords): string[] {
  const { table } = defOf(registry, sealed.model)
  const columns = sealedColumns(registry, sealed)
  return [
    refusing(`${table}_sealed`, sealed.model, (of) => `${of}.id`),
    `CREATE OR REPLACE TRIGGER sealed BEFORE UPDATE ON ${table} FOR EACH ROW
      WHEN (${changes(columns)} OR (${inSealedState('OLD', sealed)}) IS DISTINCT FROM (${inSealedState('NEW', sealed)}))
      EXECUTE FUNCTION ${table}_sealed()`,
    `CREATE OR REPLACE TRIGGER sealed_from_removal BEFORE DELETE ON ${table} FOR EACH ROW EXECUTE FUNCTION ${table}_sealed()`,
  ]
}

function keptPart(registry: Registry, sealed: SealedRecords, part: SealedPart): string[] {
  const { table } = defOf(registry, part.model)
  const columns = [...new Set([...sealedColumns(registry, part), part.parent])]
  return [
    refusing(`${table}_sealed`, sealed.model, (of) => `${of}.${quote(part.parent)}`),
    `CREATE OR REPLACE TRIGGER sealed BEFORE UPDATE ON ${table} FOR EACH ROW WHEN (${changes(columns)}) EXECUTE FUNCTION ${table}_sealed()`,
    `CREATE OR REPLACE TRIGGER sealed_row BEFORE INSERT OR DELETE ON ${table} FOR EACH ROW EXECUTE FUNCTION ${table}_sealed()`,
    ...sealedLinks(registry, part).flatMap((link) => [
      refusing(
        `${link.table}_sealed`,
        sealed.model,
        (of) => `(SELECT p.${quote(part.parent)} FROM ${table} p WHERE p.id = ${of}.${quote(link.column)})`,
        REFERRED,
      ),
      `CREATE OR REPLACE TRIGGER sealed_link BEFORE INSERT OR UPDATE OR DELETE ON ${link.table} FOR EACH ROW EXECUTE FUNCTION ${link.table}_sealed()`,
    ]),
  ]
}

async function execute(env: Environment, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await env.query(raw(statement))
}

/** Creates the functions of chains and protects their tables: at installation, upgrade and restore. */
export const protectChains = (env: Environment): Promise<void> => execute(env, tableStatements)

/**
 * Makes what seals the records at COMMIT and what keeps sealed ones, at the same moments. Throws Error for
 * fields without a column.
 */
export async function sealRecords(env: Environment, sealed: SealedRecords): Promise<void> {
  const { registry } = env.unit
  await execute(env, [
    ...sealing(registry, sealed),
    ...keptRecords(registry, sealed),
    ...sealed.parts.flatMap((part) => keptPart(registry, sealed, part)),
  ])
}
