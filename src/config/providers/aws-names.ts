// The forms of names in AWS's identity service.

/** IAM User Guide, "IAM identifiers". */
export const ROLE_ARN = /^arn:aws(-[a-z-]{1,20})?:iam::\d{12}:role\/[\w+=,.@/-]{1,512}$/;
/** STS API reference, "AssumeRole": RoleSessionName. */
export const SESSION_NAME = /^[\w+=,.@-]{2,64}$/;
