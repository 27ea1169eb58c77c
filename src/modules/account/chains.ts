// What of accounting is in the chains of sealed records, for their check.
import type { SealedRecords } from '#engine'
import { extend, implement } from '#models'
import { sealedEntries } from './move/sealing.ts'

const chain = extend('comptoir.chain', { fields: {} })

export default implement(chain, {
  wrap: {
    sealed_records: (next) => async (chains, params) => [
      ...((await next(chains, params)) as readonly SealedRecords[]),
      sealedEntries,
    ],
  },
})
