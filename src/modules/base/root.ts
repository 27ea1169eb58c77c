// The model that every model is made of, as clients may name it: abstract, so it is known and opens nothing.
import { abstract, implement, type Of } from '#models'

const root = abstract('base', { label: 'Base', fields: {} })

declare module '#models' {
  interface Models {
    base: Base
  }
  interface Base extends Of<typeof root> {}
}

export default implement(root)
