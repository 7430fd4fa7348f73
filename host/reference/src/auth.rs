//! Who may write and ask: nobody but the one user of the options, if there is one.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::options::ReferenceOptions;

/// Why somebody is not let in, with GreptimeDB's code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AuthError {
    /// 7000, 7002, 7003 or 7004.
    pub(crate) code: u32,
    /// Why.
    pub(crate) message: String,
}

/// Lets a user in by name and password.
///
/// # Errors
///
/// Another user, or another password.
pub(crate) fn check(options: &ReferenceOptions, user: &str, password: &str) -> Result<(), AuthError> {
    let Some(known) = &options.user else { return Ok(()) };
    if known != user {
        return Err(AuthError { code: 7000, message: format!("User not found, username: {user}") });
    }
    if options.password.as_deref().unwrap_or_default() != password {
        return Err(AuthError {
            code: 7002,
            message: format!("Username and password does not match, username: {user}"),
        });
    }
    Ok(())
}

/// Lets somebody in by an `Authorization` header: `Basic`, or `Token user:password` as InfluxDB's clients send it; `Bearer` is taken as `Token`.
///
/// # Errors
///
/// No header, one of another scheme, or another user.
pub(crate) fn header(options: &ReferenceOptions, header: Option<&str>) -> Result<(), AuthError> {
    if options.user.is_none() {
        return Ok(());
    }
    let missing = || AuthError { code: 7003, message: "Not found http or grpc authorization header".into() };
    let header = header.ok_or_else(missing)?;
    let (scheme, rest) = header.trim().split_once(' ').unwrap_or((header, ""));
    let pair = match scheme.to_ascii_lowercase().as_str() {
        "basic" => STANDARD.decode(rest.trim()).ok().and_then(|bytes| String::from_utf8(bytes).ok()),
        "token" | "bearer" => Some(rest.trim().to_owned()),
        other => return Err(AuthError { code: 7004, message: format!("Unsupported http auth scheme, name: {other}") }),
    };
    let malformed = || AuthError { code: 7004, message: "Invalid http authorization header".into() };
    let pair = pair.ok_or_else(malformed)?;
    let (user, password) = pair.split_once(':').ok_or_else(malformed)?;
    check(options, user, password)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_user_is_let_in_and_the_code_says_what_is_wrong() {
        let open = ReferenceOptions::default();
        assert_eq!(header(&open, None), Ok(()));
        let closed = ReferenceOptions { user: Some("u".into()), password: Some("p:q".into()), ..open };
        let code = |text: Option<&str>| header(&closed, text).map_err(|error| error.code);
        assert_eq!((code(Some("Token u:p:q")), code(Some("basic dTpwOnE="))), (Ok(()), Ok(())));
        assert_eq!((code(None), code(Some("Token v:p"))), (Err(7003), Err(7000)));
        assert_eq!((code(Some("Token u:p")), code(Some("Basic !"))), (Err(7002), Err(7004)));
        assert_eq!(code(Some("Digest x")), Err(7004));
        assert!(!format!("{closed:?}").contains("p:q"));
    }
}
