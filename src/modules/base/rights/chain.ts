// Chains of sealed records (comptoir.chain) and their links: written by the database when records are
// sealed, checked by administrators, never changed.
import { protectChains, type SealedRecords } from '#engine'
import { char, datetime, implement, integer, many2one, model, type Of, optional, returns } from '#models'
import { AccessError } from '../../../errors.ts'
import { type Checked, checkPortion } from './chain-check.ts'

const chain = model('comptoir.chain', {
  label: 'Chain of Sealed Records',
  order: 'id',
  recName: 'series',
  logAccess: false,
  changes: false,
  rules: { owner: { unique: ['res_model', 'res_id', 'series'], message: 'There is such a chain already.' } },
  fields: {
    // Plain numbers: chains outlive the records that they name.
    res_model: char({ label: 'Model', required: true, readonly: true }),
    res_id: integer({ label: 'Record ID', required: true, readonly: true, aggregator: null }),
    series: char({ label: 'Series', readonly: true, help: 'Distinguishes several chains of one record.' }),
    position: integer({
      label: 'Sealed Records',
      required: true,
      readonly: true,
      aggregator: null,
      help: 'Position of the last sealed record in the chain.',
    }),
    hash: char({
      label: 'Hash',
      required: true,
      readonly: true,
      help: 'Hash of the last sealed record in the chain.',
    }),
  },
  methods: {
    verify: {
      doc: 'Checks the chains of sealed records: how many records each seals, the hash of the last, how many are not sealed, and its first break or null. Where there is more to check than `limit` records, `next` is a text to call it with as `after`, and `ok` is false until all of it was checked. For administrators.',
      level: 'model',
      readonly: true,
      params: {
        after: optional<string | null>('any', null, {
          annotation: 'str | None',
          doc: '`next` of the call before.',
        }),
        limit: optional<number>('integer', 10_000, {
          annotation: 'int',
          doc: 'Sealed records that are read at most, up to 100000.',
        }),
      },
      returns: returns<Checked>('object', 'dict'),
    },
    sealed_records: {
      doc: 'Declarations of sealed records, model by model; modules wrap it to add theirs.',
      level: 'model',
      private: true,
      params: {},
      returns: returns<readonly SealedRecords[]>('array', 'list[dict]'),
    },
  },
})

const link = model('comptoir.chain.link', {
  label: 'Sealed Record',
  order: 'chain_id, position, id',
  logAccess: false,
  changes: false,
  rules: {
    places: { index: ['chain_id', 'position'] },
    sealed: {
      unique: ['res_model', 'res_id'],
      message:
        'This record is sealed: it stays as it is. Reverse it with another document, such as a credit note or a refund.',
    },
  },
  fields: {
    chain_id: many2one('comptoir.chain', {
      label: 'Chain',
      required: true,
      readonly: true,
      ondelete: 'restrict',
    }),
    position: integer({ label: 'Place', required: true, readonly: true, aggregator: null }),
    time: datetime({ label: 'Sealed At', required: true, readonly: true }),
    res_model: char({ label: 'Model', required: true, readonly: true }),
    res_id: integer({ label: 'Record ID', required: true, readonly: true, aggregator: null }),
    name: char({ label: 'Name', readonly: true, help: 'The name that people give the record.' }),
    hash: char({
      label: 'Hash',
      required: true,
      readonly: true,
      help: 'SHA-256 of the previous hash and of the sealed content.',
    }),
  },
})

declare module '#models' {
  interface Models {
    'comptoir.chain': Chain
    'comptoir.chain.link': ChainLink
  }
  interface Chain extends Of<typeof chain> {}
  interface ChainLink extends Of<typeof link> {}
}

const closed = () => () => {
  throw new AccessError('Chains of sealed records cannot be changed: the server writes them.')
}
const closedWays = { wrapGeneric: { create: closed, unlink: closed }, wrapWrite: closed }

export const chains = implement(chain, {
  ...closedWays,
  methods: {
    sealed_records: async () => [],
    verify: async (records, { after, limit }) => {
      await records.invoke('check_access_rights', { operation: 'read' })
      const su = records.sudo()
      return checkPortion(su.env, await su.sealed_records(), after, limit)
    },
  },
})

export const chainLinks = implement(link, { ...closedWays, init: protectChains })
