// Which goods leave a place first (product.removal): first in first out, last in first out, the closest
// place, the fewest packages.
import { char, type DataSet, implement, model, type Of } from '#models'

const removal = model('product.removal', {
  label: 'Removal Strategy',
  order: 'name, id',
  fields: {
    name: char({ label: 'Name', required: true, translate: true }),
    method: char({ label: 'Method', required: true, translate: true, help: 'fifo, lifo or closest' }),
  },
})

declare module '#models' {
  interface Models {
    'product.removal': ProductRemoval
  }
  interface ProductRemoval extends Of<typeof removal> {}
}

export default implement(removal)

export const removals: DataSet = {
  model: 'product.removal',
  noupdate: true,
  records: {
    removal_fifo: { name: 'First In First Out (FIFO)', method: 'fifo' },
    removal_lifo: { name: 'Last In First Out (LIFO)', method: 'lifo' },
    removal_closest: { name: 'Closest Location', method: 'closest' },
  },
}
