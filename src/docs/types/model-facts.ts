// Input of the type writer: facts about a model, from a server or from the declarations of modules.

/** A field, by the attributes that `fields_get` gives. */
export interface FieldFacts {
  /** Kind on the wire, such as `many2one`. */
  readonly type: string
  readonly label: string
  readonly required: boolean
  /** Whether no record can be created without it. */
  readonly needed: boolean
  /** The model that a relation leads to. */
  readonly relation: string | null
  /** Keys of a selection, in their order. */
  readonly keys: readonly string[]
}

export interface ParameterFacts {
  /** As Python spells it. */
  readonly annotation: string | undefined
  readonly optional: boolean
  /** Stands for any further names, and not for one parameter. */
  readonly gathers: boolean
}

export interface MethodFacts {
  readonly doc: string | null
  readonly parameters: Readonly<Record<string, ParameterFacts>>
  readonly returns: string | undefined
  /** Whether every model has it. */
  readonly core: boolean
}

export interface ModelFacts {
  readonly name: string
  readonly label: string
  readonly fields: Readonly<Record<string, FieldFacts>>
  readonly methods: Readonly<Record<string, MethodFacts>>
}
