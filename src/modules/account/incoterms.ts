// Terms of delivery (account.incoterms): who pays freight and bears risks up to which place.
import { boolean, char, computed, type DataSet, implement, model, type Of } from '#models'

const incoterms = model('account.incoterms', {
  label: 'Incoterms',
  dictionary: true,
  recNamesSearch: ['name', 'code'],
  fields: {
    name: char({
      label: 'Name',
      required: true,
      translate: true,
      help: 'Name of the term by the International Chamber of Commerce.',
    }),
    code: char({ label: 'Code', required: true, size: 3, help: 'Three letters that documents print.' }),
    active: boolean({ label: 'Active', default: true }),
  },
})

declare module '#models' {
  interface Models {
    'account.incoterms': Incoterms
  }
  interface Incoterms extends Of<typeof incoterms> {}
}

/** The rules of 2020. */
export const incotermRecords: DataSet = {
  model: 'account.incoterms',
  noupdate: true,
  records: {
    incoterm_EXW: { code: 'EXW', name: 'EX WORKS' },
    incoterm_FCA: { code: 'FCA', name: 'FREE CARRIER' },
    incoterm_FAS: { code: 'FAS', name: 'FREE ALONGSIDE SHIP' },
    incoterm_FOB: { code: 'FOB', name: 'FREE ON BOARD' },
    incoterm_CFR: { code: 'CFR', name: 'COST AND FREIGHT' },
    incoterm_CIF: { code: 'CIF', name: 'COST, INSURANCE AND FREIGHT' },
    incoterm_CPT: { code: 'CPT', name: 'CARRIAGE PAID TO' },
    incoterm_CIP: { code: 'CIP', name: 'CARRIAGE AND INSURANCE PAID TO' },
    incoterm_DPU: { code: 'DPU', name: 'DELIVERED AT PLACE UNLOADED' },
    incoterm_DAP: { code: 'DAP', name: 'DELIVERED AT PLACE' },
    incoterm_DDP: { code: 'DDP', name: 'DELIVERED DUTY PAID' },
  },
}

export default implement(incoterms, {
  displayName: computed(incoterms, ['code', 'name'], (incoterms) => `[${incoterms.code}] ${incoterms.name}`),
})
