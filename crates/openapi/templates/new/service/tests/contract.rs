//! Tests that the service keeps the contract: every operation responds as declared, and the generated client
//! reads it.

use @snake@_client::{Client, Error};
use @snake@_server::OPERATIONS;
use @snake@_service::{Service, router};

use axum::body::Body;
use axum::http::Request;
use tower::ServiceExt as _;

#[tokio::test]
async fn every_operation_responds_with_a_declared_status() {
    for operation in OPERATIONS {
        // An id that no resource has.
        let path: String = operation
            .path
            .split('/')
            .map(|part| if part.starts_with('{') { "absent" } else { part })
            .collect::<Vec<_>>()
            .join("/");
        let request = Request::builder().method(operation.method.clone()).uri(path);
        let response =
            router(Service::default()).oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
        let status = response.status().as_u16();
        assert!(
            operation.statuses.contains(&status),
            "{} responds with {status}, which the contract does not declare",
            operation.id
        );
    }
}

#[tokio::test]
async fn the_client_reads_what_the_service_responds() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router(Service::default())).await });
    let client = Client::builder(address).build().unwrap();

    let item = client.items().get("lamp").await.unwrap();
    assert_eq!(item.name, "Reading lamp");

    let Err(error) = client.items().get("absent").await else { panic!("there is no such item") };
    assert!(matches!(error, Error::Declared(_)), "{error:?}");
}
