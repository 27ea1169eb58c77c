// The list of all modules, in an order in which each comes after what it needs. The one file that knows them
// all.
import type { Module } from '#models'
import { account } from './account/index.ts'
import { base } from './base/index.ts'
import { mail } from './mail/index.ts'
import { pointOfSale } from './point_of_sale/index.ts'
import { posSale } from './pos_sale/index.ts'
import { product } from './product/index.ts'
import { purchase } from './purchase/index.ts'
import { purchaseStock } from './purchase_stock/index.ts'
import { resourceModule } from './resource/index.ts'
import { sale } from './sale/index.ts'
import { saleManagement } from './sale_management/index.ts'
import { saleMargin } from './sale_margin/index.ts'
import { saleStock } from './sale_stock/index.ts'
import { salesTeam } from './sales_team/index.ts'
import { stock } from './stock/index.ts'
import { stockAccount } from './stock_account/index.ts'
import { uomModule } from './uom/index.ts'

/** The modules of Comptoir, each after its dependencies. */
export const modules: readonly Module[] = [
  base,
  mail,
  resourceModule,
  uomModule,
  product,
  account,
  salesTeam,
  sale,
  saleManagement,
  saleMargin,
  stock,
  saleStock,
  stockAccount,
  purchase,
  purchaseStock,
  pointOfSale,
  posSale,
]
