// Orders that the compiler checks: the fields and directions of a literal. Types only.
// Rules: spec/models-api.md section 3.

type Trimmed<S extends string> = S extends ` ${infer Rest}` | `${infer Rest} ` ? Trimmed<Rest> : S

type Nulls = `nulls ${'first' | 'last'}`
type Direction = 'asc' | 'desc' | Nulls | `${'asc' | 'desc'} ${Nulls}`

/**
 * Nothing more is asked of a literal whose terms name fields of the model and directions that there are, nor
 * of an order that is put together at run time. The type of a wrong order names what is wrong.
 */
export type OrderTerms<Fs, O extends string> = string extends O | keyof Fs
  ? unknown
  : O extends `${infer First},${infer Rest}`
    ? OrderTerm<Fs, Trimmed<First>> & OrderTerms<Fs, Rest>
    : OrderTerm<Fs, Trimmed<O>>

type OrderTerm<Fs, T extends string> = T extends `${infer P} ${infer D}`
  ? Lowercase<Trimmed<D>> extends Direction
    ? OrderField<Fs, P>
    : { readonly 'no such direction': D }
  : OrderField<Fs, T>

type OrderField<Fs, P extends string> = P extends keyof Fs | `${keyof Fs & string}.${string}`
  ? unknown
  : { readonly 'no such field': P }
