// Entry of the layer: what databases keep about logins, in tables that belong to no model.
export {
  confirmSecret,
  type Enrolment,
  hasSecondFactor,
  isAdministrator,
  isEnrolled,
  proposedSecret,
  proposeSecret,
  removeSecondFactors,
  renewRecoveryCodes,
  SECOND_FACTOR_REQUIRED,
  type SecondFactor,
  type SecondFactorStatus,
  secondFactorOf,
  secondFactorStatus,
  useCode,
  WRONG_CODE,
} from './second-factor.ts'
export { loginTables } from './tables.ts'
